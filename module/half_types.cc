// SPDX-License-Identifier: Apache-2.0
#include "module/half_types.h"

#include <memory>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "module/dump_pieces.h"
#include "module/type_parts.h"

// Half a filter is stored as
//
//   string header, as of a dump   number of what comes by chunks: links, or slots
//   of a cuckoo filter, since version 2: number what positions of its pieces count
//   number ranges, and for each   number first byte   number behind the last
//   and of each link or sub-filter a string of its bytes as they are
//
// and a lost one as the string that says why.
namespace bloomery::module {
namespace {

constexpr int kHalfVersion = 1;
constexpr int kHalfCuckooVersion = 2;

std::span<const std::byte> as_bytes(const std::string& text) noexcept {
  return std::as_bytes(std::span<const char>(text));
}

void require_half_version(int version, int newest = kHalfVersion) {
  if (version >= 1 && version <= newest) return;
  throw FormatError("half a filter of version " + std::to_string(version) +
                    ", and this module reads up to " + std::to_string(newest));
}

ByteRanges load_ranges(Io* io) {
  ByteRanges ranges;
  for (std::uint64_t left = load_number(io); left > 0; --left) {
    const std::uint64_t first = load_number(io);
    ranges.add(first, load_number(io));
  }
  return ranges;
}

void save_ranges(Io* io, const ByteRanges& ranges) {
  api().save_unsigned(io, ranges.all().size());
  for (const auto& [first, end] : ranges.all()) {
    api().save_unsigned(io, first);
    api().save_unsigned(io, end);
  }
}

std::uint64_t expected(const StoredFilter& filter) noexcept {
  return filter.loader().header().layers.size();
}
std::uint64_t expected(const StoredCuckoo& stored) noexcept {
  return stored.half().expected_slots;
}
const ByteRanges& loaded_of(const StoredFilter& filter) noexcept {
  return filter.loader().loaded();
}
const ByteRanges& loaded_of(const StoredCuckoo& stored) noexcept {
  return stored.half().loaded;
}

void* load_chain(Io* io, int version) noexcept {
  return loaded(io, [&]() -> void* {
    require_half_version(version);
    const FilterContents contents = redisbloom::decode_header(as_bytes(load_string(io)));
    const std::uint64_t links = load_number(io);
    const ByteRanges ranges = load_ranges(io);
    std::vector<SharedWords> words;
    for (const Layer& link : contents.layers) {
      const std::string bytes = load_string(io);
      if (bytes.size() != redisbloom::link_bytes(link)) {
        throw FormatError("half a RedisBloom filter with " + std::to_string(bytes.size()) +
                          " bytes of a link of " + std::to_string(redisbloom::link_bytes(link)));
      }
      words.push_back(redisbloom::words_of_link(link, as_bytes(bytes), "half a RedisBloom filter"));
    }
    return held(StoredFilter::of_half(contents, words, links, ranges));
  });
}

void* load_cuckoo(Io* io, int version) noexcept {
  return loaded(io, [&]() -> void* {
    require_half_version(version, kHalfCuckooVersion);
    const auto shape = redisbloom::decode_cuckoo_header(as_bytes(load_string(io)));
    StoredCuckoo::Half half{.expected_slots = load_number(io)};
    if (version >= 2) half.positions = redisbloom::cuckoo_positions(load_number(io));
    half.loaded = load_ranges(io);
    std::vector<HeapWords> words;
    for (std::uint64_t i = 0; i < shape.sub_filters; ++i) {
      const std::string bytes = load_string(io);
      if (bytes.size() != redisbloom::sub_filter_bytes(shape, i)) {
        throw FormatError("half a cuckoo filter with " + std::to_string(bytes.size()) +
                          " slots of a sub-filter of " +
                          std::to_string(redisbloom::sub_filter_bytes(shape, i)));
      }
      HeapWords each((bytes.size() + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t));
      std::ranges::copy(as_bytes(bytes), std::as_writable_bytes(each.words()).begin());
      words.push_back(std::move(each));
    }
    return held(std::make_unique<StoredCuckoo>(redisbloom::CuckooFilter(shape, std::move(words)),
                                               std::move(half)));
  });
}

void* load_lost(Io* io, int version) noexcept {
  return loaded(io, [&]() -> void* {
    require_half_version(version);
    return std::make_unique<LostFilter>(load_string(io)).release();
  });
}

void save_chain(Io* io, void* value) noexcept {
  const StoredFilter& half = value_of<StoredFilter>(value);
  save_bytes(io, header_of(half));
  api().save_unsigned(io, expected(half));
  save_ranges(io, loaded_of(half));
  const FilterContents contents = half.contents();
  for (std::size_t i = 0; i < contents.layers.size(); ++i) {
    save_bytes(io, redisbloom::bytes_of_link(contents, i));
  }
}
void save_cuckoo(Io* io, void* value) noexcept {
  const StoredCuckoo& stored = value_of<StoredCuckoo>(value);
  save_bytes(io, header_of(stored));
  api().save_unsigned(io, expected(stored));
  api().save_unsigned(io, static_cast<std::uint64_t>(stored.half().positions));
  save_ranges(io, loaded_of(stored));
  const redisbloom::CuckooFilter& filter = stored.filter();
  for (std::size_t i = 0; i < filter.shape().sub_filters; ++i) save_bytes(io, filter.slots(i));
}
void save_lost(Io* io, void* value) noexcept {
  save_bytes(io, as_bytes(value_of<LostFilter>(value).why));
}

void emit_head(Io* aof, const char* command, String* key, const StoredFilter& half) {
  const auto header = header_of(half);
  api().emit_aof(aof, command, "sccbl", key, "HALF", "BF",
                 characters(std::span<const std::byte>(header)), header.size(),
                 static_cast<long long>(expected(half)));
}
void emit_head(Io* aof, const char* command, String* key, const StoredCuckoo& half) {
  const auto header = header_of(half);
  api().emit_aof(aof, command, "sccbll", key, "HALF", "CF",
                 characters(std::span<const std::byte>(header)), header.size(),
                 static_cast<long long>(expected(half)),
                 static_cast<long long>(half.half().positions));
}

// Writes half a filter as commands. The ranges that have come are written last, so that a file that
// ends before does not claim them.
template <class Half>
void rewrite_half(Io* aof, String* key, const Half& half) {
  const std::string command = the_module().names.command("BLOOM.LOAD");
  emit_head(aof, command.c_str(), key, half);
  each_piece(half, [&](std::uint64_t next, std::span<const std::byte> bytes) {
    api().emit_aof(aof, command.c_str(), "sclb", key, "FILL", static_cast<long long>(next),
                   characters(bytes), bytes.size());
  });
  for (const auto& [first, end] : loaded_of(half).all()) {
    api().emit_aof(aof, command.c_str(), "scll", key, "CAME", static_cast<long long>(first),
                   static_cast<long long>(end));
  }
}
void rewrite_chain(Io* aof, String* key, void* value) noexcept {
  rewrite_half(aof, key, value_of<StoredFilter>(value));
}
void rewrite_cuckoo(Io* aof, String* key, void* value) noexcept {
  rewrite_half(aof, key, value_of<StoredCuckoo>(value));
}
void rewrite_lost(Io* aof, String* key, void* value) noexcept {
  const std::string& why = value_of<LostFilter>(value).why;
  api().emit_aof(aof, the_module().names.command("BLOOM.LOAD").c_str(), "scb", key, "LOST",
                 why.data(), why.size());
}

template <class Half>
void digest_half(Digest* of, const Half& half) {
  const auto add = [&](std::span<const std::byte> bytes) { add_to_digest(of, bytes); };
  add(header_of(half));
  for (const auto& [first, end] : loaded_of(half).all()) {
    const std::uint64_t range[2] = {first, end};
    add(std::as_bytes(std::span(range)));
  }
  each_piece(half, [&](std::uint64_t, std::span<const std::byte> bytes) { add(bytes); });
  api().digest_end(of);
}

template <class Half>
TypeMethods half_methods() {
  TypeMethods methods = methods_of_held<Half>();
  methods.mem_usage = [](const void* value) -> std::size_t {
    return memory_of(value_of<Half>(value));
  };
  methods.digest = [](Digest* of, void* value) { digest_half(of, value_of<Half>(value)); };
  methods.free_effort = [](String*, const void* value) { return effort_of(value_of<Half>(value)); };
  return methods;
}

TypeMethods half_chain_methods() {
  TypeMethods methods = half_methods<StoredFilter>();
  methods.rdb_load = load_chain;
  methods.rdb_save = save_chain;
  methods.aof_rewrite = rewrite_chain;
  return methods;
}

TypeMethods half_cuckoo_methods() {
  TypeMethods methods = half_methods<StoredCuckoo>();
  methods.rdb_load = load_cuckoo;
  methods.rdb_save = save_cuckoo;
  methods.aof_rewrite = rewrite_cuckoo;
  return methods;
}

TypeMethods lost_methods() {
  TypeMethods methods;
  methods.rdb_load = load_lost;
  methods.rdb_save = save_lost;
  methods.aof_rewrite = rewrite_lost;
  methods.mem_usage = [](const void* value) {
    return sizeof(LostFilter) + value_of<LostFilter>(value).why.size();
  };
  methods.digest = [](Digest* of, void* value) {
    const std::string& why = value_of<LostFilter>(value).why;
    api().digest_bytes(of, why.data(), why.size());
    api().digest_end(of);
  };
  methods.free = [](void* value) { delete static_cast<LostFilter*>(value); };
  methods.copy = [](String*, String*, const void* value) -> void* {
    return new (std::nothrow) LostFilter(value_of<LostFilter>(value));
  };
  return methods;
}

}  // namespace

std::array<Type*, 3> register_half_types(Context* context, const Names& names) {
  const auto make = [&](const char* usual, const char* beside, int version, TypeMethods methods) {
    return register_type(context, names.type(usual, beside), version, methods);
  };
  return {make("bloomeryH", "bloomeryh", kHalfVersion, half_chain_methods()),
          make("bloomeryK", "bloomeryk", kHalfCuckooVersion, half_cuckoo_methods()),
          make("bloomeryX", "bloomeryx", kHalfVersion, lost_methods())};
}

}  // namespace bloomery::module
