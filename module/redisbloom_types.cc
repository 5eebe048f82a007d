// SPDX-License-Identifier: Apache-2.0
#include "module/redisbloom_types.h"

#include <memory>
#include <string>

#include "bloomery/format/redisbloom/redisbloom_cuckoo_rdb.h"
#include "bloomery/format/redisbloom/redisbloom_rdb.h"
#include "module/dump_pieces.h"
#include "module/rdb_reader.h"
#include "module/rdb_writer.h"
#include "module/type_parts.h"

namespace bloomery::module {
namespace {

std::unique_ptr<StoredFilter> read_chain(RdbReader& reader, std::uint32_t version) {
  const auto read = redisbloom::read_value(reader, version);
  return StoredFilter::of_chain(read.contents, read.words);
}
std::unique_ptr<StoredCuckoo> read_cuckoo(RdbReader& reader, std::uint32_t version) {
  return std::make_unique<StoredCuckoo>(redisbloom::read_cuckoo_value(reader, version));
}

void write(const StoredFilter& filter, RdbWriter& writer) {
  redisbloom::write_value(filter.contents(), writer);
}
void write(const StoredCuckoo& stored, RdbWriter& writer) {
  redisbloom::write_cuckoo_value(stored.filter(), writer);
}

// The command that the append-only file makes a value of.
constexpr const char* load_command(const StoredFilter&) noexcept {
  return "BF.LOADCHUNK";
}
constexpr const char* load_command(const StoredCuckoo&) noexcept {
  return "CF.LOADCHUNK";
}

template <class Value>
void rewrite(Io* aof, String* key, void* held) noexcept {
  const auto& value = value_of<Value>(held);
  const std::string command = the_module().names.command(load_command(value));
  const auto emit = [&](std::uint64_t iterator, std::span<const std::byte> bytes) {
    api().emit_aof(aof, command.c_str(), "slb", key, static_cast<long long>(iterator),
                   characters(bytes), bytes.size());
  };
  emit(1, header_of(value));
  each_piece(value, emit);
}

template <class Value>
void digest(Digest* of, void* held) noexcept {
  const auto& value = value_of<Value>(held);
  add_to_digest(of, header_of(value));
  each_piece(value,
             [&](std::uint64_t, std::span<const std::byte> bytes) { add_to_digest(of, bytes); });
  api().digest_end(of);
}

template <class Value, auto kRead>
TypeMethods methods_of() {
  TypeMethods methods = methods_of_held<Value>();
  methods.rdb_load = [](Io* io, int version) noexcept {
    return loaded(io, [&] {
      RdbReader reader(io);
      return held(kRead(reader, static_cast<std::uint32_t>(version)));
    });
  };
  methods.rdb_save = [](Io* io, void* value) noexcept {
    RdbWriter writer(api(), io);
    write(value_of<Value>(value), writer);
  };
  methods.aof_rewrite = rewrite<Value>;
  methods.digest = digest<Value>;
  methods.mem_usage = [](const void* value) -> std::size_t {
    return memory_of(value_of<Value>(value));
  };
  methods.free_effort = [](String*, const void* value) {
    return effort_of(value_of<Value>(value));
  };
  return methods;
}

}  // namespace

Type* register_chain_type(Context* context, const Names& names) {
  return register_type(context, names.type(redisbloom::kTypeName, "bloomeryb"),
                       static_cast<int>(redisbloom::kEncodingVersion),
                       methods_of<StoredFilter, read_chain>());
}

Type* register_cuckoo_type(Context* context, const Names& names) {
  return register_type(context, names.type(redisbloom::kCuckooTypeName, "bloomeryc"),
                       static_cast<int>(redisbloom::kCuckooEncodingVersion),
                       methods_of<StoredCuckoo, read_cuckoo>());
}

}  // namespace bloomery::module
