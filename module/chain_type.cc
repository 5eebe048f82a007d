#include "module/chain_type.h"

#include <exception>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/format/redisbloom_dump.h"
#include "bloomery/format/redisbloom_rdb.h"
#include "module/chain_filter.h"
#include "module/rdb_writer.h"
#include "module/type_parts.h"

namespace bloomery::module {
namespace {

const Api* api = nullptr;
std::string load_command;  // what the append-only file makes filters of

class RdbReader : public redisbloom::ValueReader {
 public:
  explicit RdbReader(Io* io) : io_(io) {}

  std::uint64_t number(const char* field) override {
    const std::uint64_t value = api->load_unsigned(io_);
    require_read(field);
    return value;
  }
  double real(const char* field) override {
    const double value = api->load_double(io_);
    require_read(field);
    return value;
  }
  void bits(const Layer& link) override {
    std::size_t size = 0;
    const std::unique_ptr<char, void (*)(void*)> text(api->load_bytes(io_, &size),
                                                      [](void* bytes) { api->free(bytes); });
    require_read("bits");
    if (text == nullptr || size != redisbloom::link_bytes(link)) {
      throw FormatError("not a RedisBloom filter: bits of " + std::to_string(size) +
                        " bytes, where the link has " +
                        std::to_string(redisbloom::link_bytes(link)));
    }
    words_.push_back(redisbloom::words_of_link(
        link, std::as_bytes(std::span<const char>(text.get(), size)), "a RedisBloom filter"));
  }
  void skip_bits() override {
    std::size_t size = 0;
    api->free(api->load_bytes(io_, &size));
    require_read("bits");
  }
  std::string place() const override { return {}; }

  std::span<const SharedWords> words() const noexcept { return words_; }

 private:
  void require_read(const char* field) const {
    if (api->is_io_error(io_) != 0) {
      throw FormatError(std::string("not a RedisBloom filter: no ") + field);
    }
  }

  Io* io_;
  std::vector<SharedWords> words_;
};

// As OpenKey finds it again.
void* kept(std::unique_ptr<StoredFilter> filter) noexcept {
  return filter.release();
}

const ChainFilter& filter_of(const void* value) noexcept {
  return static_cast<const ChainFilter&>(*static_cast<const StoredFilter*>(value));
}

void* load(Io* io, int version) noexcept {
  return loaded(*api, io, [&] {
    RdbReader reader(io);
    const FilterContents contents =
        redisbloom::read_value(reader, static_cast<std::uint32_t>(version));
    return kept(ChainFilter::of_contents(contents, reader.words()));
  });
}

void save(Io* io, void* value) noexcept {
  RdbWriter writer(*api, io);
  redisbloom::write_value(filter_of(value).contents(), writer);
}

void rewrite(Io* aof, String* key, void* value) noexcept {
  const FilterContents contents = filter_of(value).contents();
  const auto emit = [&](std::uint64_t iterator, std::span<const std::byte> bytes) {
    api->emit_aof(aof, load_command.c_str(), "slb", key, static_cast<long long>(iterator),
                  characters(bytes), bytes.size());
  };
  emit(1, redisbloom::encode_header(contents));
  for (std::uint64_t iterator = 1;;) {
    const redisbloom::Chunk chunk = redisbloom::dump_chunk(contents, iterator);
    if (chunk.next == 0) return;
    emit(chunk.next, chunk.bytes);
    iterator = chunk.next;
  }
}

std::size_t memory_use(const void* value) noexcept {
  return filter_of(value).memory_bytes();
}

void digest(Digest* of, void* value) noexcept {
  const FilterContents contents = filter_of(value).contents();
  const auto add = [&](std::span<const std::byte> bytes) {
    api->digest_bytes(of, characters(bytes), bytes.size());
  };
  add(redisbloom::encode_header(contents));
  for (std::size_t i = 0; i < contents.layers.size(); ++i) {
    add(redisbloom::bytes_of_link(contents, i));
  }
  api->digest_end(of);
}

void free_value(void* value) noexcept {
  delete static_cast<StoredFilter*>(value);
}

std::size_t free_effort(String*, const void* value) noexcept {
  return free_effort_of(memory_use(value));
}

void* copy(String*, String*, const void* value) noexcept {
  try {
    return kept(filter_of(value).clone());
  } catch (const std::exception&) {
    return nullptr;
  }
}

}  // namespace

Type* register_chain_type(const Api& of, Context* context, const Names& names) {
  api = &of;
  load_command = names.command("BF.LOADCHUNK");
  TypeMethods methods;
  methods.rdb_load = load;
  methods.rdb_save = save;
  methods.aof_rewrite = rewrite;
  methods.mem_usage = memory_use;
  methods.digest = digest;
  methods.free = free_value;
  methods.free_effort = free_effort;
  methods.copy = copy;
  return of.create_data_type(context, names.type(redisbloom::kTypeName, "bloomeryb"),
                             static_cast<int>(redisbloom::kEncodingVersion), &methods);
}

}  // namespace bloomery::module
