#include "module/half_types.h"

#include <memory>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/format/redisbloom_cuckoo_dump.h"
#include "bloomery/format/redisbloom_dump.h"
#include "module/call.h"
#include "module/chain_filter.h"
#include "module/stored_cuckoo.h"
#include "module/type_parts.h"

// Half a filter is stored as
//
//   string header, as of a dump   number of what comes by chunks: links, or slots
//   number ranges, and for each   number first byte   number behind the last
//   and of each link or sub-filter a string of its bytes as they are
//
// and a lost one as the string that says why.
namespace bloomery::module {
namespace {

constexpr int kEncodingVersion = 1;

const Api& api() noexcept {
  return the_module().api;
}

std::span<const std::byte> as_bytes(const std::string& text) noexcept {
  return std::as_bytes(std::span<const char>(text));
}

const ChainFilter& chain_of(const void* value) noexcept {
  return static_cast<const ChainFilter&>(*static_cast<const StoredFilter*>(value));
}
const StoredCuckoo& cuckoo_of(const void* value) noexcept {
  return *static_cast<const StoredCuckoo*>(value);
}
const LostFilter& lost_of(const void* value) noexcept {
  return *static_cast<const LostFilter*>(value);
}

void require_version(int version) {
  if (version == kEncodingVersion) return;
  throw FormatError("half a filter of version " + std::to_string(version) +
                    ", and this module reads " + std::to_string(kEncodingVersion));
}

ByteRanges load_ranges(Io* io) {
  ByteRanges ranges;
  for (std::uint64_t left = load_number(api(), io); left > 0; --left) {
    const std::uint64_t first = load_number(api(), io);
    ranges.add(first, load_number(api(), io));
  }
  return ranges;
}

void save_bytes(Io* io, std::span<const std::byte> bytes) {
  api().save_bytes(io, characters(bytes), bytes.size());
}
void save_ranges(Io* io, const ByteRanges& ranges) {
  api().save_unsigned(io, ranges.all().size());
  for (const auto& [first, end] : ranges.all()) {
    api().save_unsigned(io, first);
    api().save_unsigned(io, end);
  }
}

// Every byte of either, in pieces and with what a dump says of where they are.
void each_piece(const ChainFilter& filter, auto take) {
  const FilterContents contents = filter.contents();
  for (std::uint64_t iterator = 1;;) {
    const redisbloom::Chunk chunk = redisbloom::dump_chunk(contents, iterator);
    if (chunk.next == 0) return;
    take(chunk.next, chunk.bytes);
    iterator = chunk.next;
  }
}
void each_piece(const StoredCuckoo& stored, auto take) {
  for (std::uint64_t position = 1;;) {
    const redisbloom::CuckooChunk chunk = redisbloom::cuckoo_chunk(stored.filter(), position);
    if (chunk.next == 0) return;
    take(chunk.next, chunk.slots);
    position = chunk.next;
  }
}

auto header_of(const ChainFilter& filter) {
  return redisbloom::encode_header(filter.contents());
}
auto header_of(const StoredCuckoo& stored) {
  return redisbloom::encode_cuckoo_header(stored.filter().shape());
}
std::uint64_t expected(const ChainFilter& filter) noexcept {
  return filter.loader().header().layers.size();
}
std::uint64_t expected(const StoredCuckoo& stored) noexcept {
  return stored.expected_slots();
}
const ByteRanges& loaded_of(const ChainFilter& filter) noexcept {
  return filter.loader().loaded();
}
const ByteRanges& loaded_of(const StoredCuckoo& stored) noexcept {
  return stored.loaded();
}

void* load_chain(Io* io, int version) noexcept {
  return loaded(api(), io, [&]() -> void* {
    require_version(version);
    const FilterContents contents = redisbloom::decode_header(as_bytes(load_string(api(), io)));
    const std::uint64_t links = load_number(api(), io);
    const ByteRanges ranges = load_ranges(io);
    std::vector<SharedWords> words;
    for (const Layer& link : contents.layers) {
      const std::string bytes = load_string(api(), io);
      if (bytes.size() != redisbloom::link_bytes(link)) {
        throw FormatError("half a RedisBloom filter with " + std::to_string(bytes.size()) +
                          " bytes of a link of " + std::to_string(redisbloom::link_bytes(link)));
      }
      words.push_back(redisbloom::words_of_link(link, as_bytes(bytes), "half a RedisBloom filter"));
    }
    std::unique_ptr<StoredFilter> filter = ChainFilter::of_half(contents, words, links, ranges);
    return filter.release();
  });
}

void* load_cuckoo(Io* io, int version) noexcept {
  return loaded(api(), io, [&]() -> void* {
    require_version(version);
    const auto shape = redisbloom::decode_cuckoo_header(as_bytes(load_string(api(), io)));
    const std::uint64_t slots = load_number(api(), io);
    ByteRanges ranges = load_ranges(io);
    std::vector<HeapWords> words;
    for (std::uint64_t i = 0; i < shape.sub_filters; ++i) {
      const std::string bytes = load_string(api(), io);
      if (bytes.size() != redisbloom::sub_filter_bytes(shape, i)) {
        throw FormatError("half a cuckoo filter with " + std::to_string(bytes.size()) +
                          " slots of a sub-filter of " +
                          std::to_string(redisbloom::sub_filter_bytes(shape, i)));
      }
      HeapWords each((bytes.size() + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t));
      std::ranges::copy(as_bytes(bytes), std::as_writable_bytes(each.words()).begin());
      words.push_back(std::move(each));
    }
    return std::make_unique<StoredCuckoo>(redisbloom::CuckooFilter(shape, std::move(words)),
                                          std::move(ranges), slots)
        .release();
  });
}

void* load_lost(Io* io, int version) noexcept {
  return loaded(api(), io, [&]() -> void* {
    require_version(version);
    return std::make_unique<LostFilter>(load_string(api(), io)).release();
  });
}

template <class Half>
void save_half(Io* io, const Half& half) {
  save_bytes(io, header_of(half));
  api().save_unsigned(io, expected(half));
  save_ranges(io, loaded_of(half));
}

void save_chain(Io* io, void* value) noexcept {
  save_half(io, chain_of(value));
  const FilterContents contents = chain_of(value).contents();
  for (std::size_t i = 0; i < contents.layers.size(); ++i) {
    save_bytes(io, redisbloom::bytes_of_link(contents, i));
  }
}
void save_cuckoo(Io* io, void* value) noexcept {
  save_half(io, cuckoo_of(value));
  const redisbloom::CuckooFilter& filter = cuckoo_of(value).filter();
  for (std::size_t i = 0; i < filter.shape().sub_filters; ++i) save_bytes(io, filter.slots(i));
}
void save_lost(Io* io, void* value) noexcept {
  save_bytes(io, as_bytes(lost_of(value).why));
}

// What has come is said last: a file that ends before does not say so.
template <class Half>
void rewrite_half(Io* aof, String* key, const Half& half, const char* family) {
  const std::string command = the_module().names.command("BLOOM.LOAD");
  const auto header = header_of(half);
  api().emit_aof(aof, command.c_str(), "sccbl", key, "HALF", family,
                 characters(std::span<const std::byte>(header)), header.size(),
                 static_cast<long long>(expected(half)));
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
  rewrite_half(aof, key, chain_of(value), "BF");
}
void rewrite_cuckoo(Io* aof, String* key, void* value) noexcept {
  rewrite_half(aof, key, cuckoo_of(value), "CF");
}
void rewrite_lost(Io* aof, String* key, void* value) noexcept {
  const std::string& why = lost_of(value).why;
  api().emit_aof(aof, the_module().names.command("BLOOM.LOAD").c_str(), "scb", key, "LOST",
                 why.data(), why.size());
}

template <class Half>
void digest_half(Digest* of, const Half& half) {
  const auto add = [&](std::span<const std::byte> bytes) {
    api().digest_bytes(of, characters(bytes), bytes.size());
  };
  add(header_of(half));
  for (const auto& [first, end] : loaded_of(half).all()) {
    const std::uint64_t range[2] = {first, end};
    add(std::as_bytes(std::span(range)));
  }
  each_piece(half, [&](std::uint64_t, std::span<const std::byte> bytes) { add(bytes); });
  api().digest_end(of);
}

template <class Value>
void* copied(const Value& value) noexcept {
  try {
    return static_cast<typename Value::Kept*>(value.clone().release());
  } catch (const std::exception&) {
    return nullptr;
  }
}

TypeMethods chain_methods() {
  TypeMethods methods;
  methods.rdb_load = load_chain;
  methods.rdb_save = save_chain;
  methods.aof_rewrite = rewrite_chain;
  methods.mem_usage = [](const void* value) -> std::size_t {
    return chain_of(value).memory_bytes();
  };
  methods.digest = [](Digest* of, void* value) { digest_half(of, chain_of(value)); };
  methods.free = [](void* value) { delete static_cast<StoredFilter*>(value); };
  methods.free_effort = [](String*, const void* value) {
    return free_effort_of(chain_of(value).memory_bytes());
  };
  methods.copy = [](String*, String*, const void* value) { return copied(chain_of(value)); };
  return methods;
}

std::size_t cuckoo_bytes(const void* value) noexcept {
  return redisbloom::memory_bytes(cuckoo_of(value).filter().shape());
}

TypeMethods cuckoo_methods() {
  TypeMethods methods;
  methods.rdb_load = load_cuckoo;
  methods.rdb_save = save_cuckoo;
  methods.aof_rewrite = rewrite_cuckoo;
  methods.mem_usage = cuckoo_bytes;
  methods.digest = [](Digest* of, void* value) { digest_half(of, cuckoo_of(value)); };
  methods.free = [](void* value) { delete static_cast<StoredCuckoo*>(value); };
  methods.free_effort = [](String*, const void* value) {
    return cuckoo_of(value).filter().shape().sub_filters + free_effort_of(cuckoo_bytes(value));
  };
  methods.copy = [](String*, String*, const void* value) { return copied(cuckoo_of(value)); };
  return methods;
}

TypeMethods lost_methods() {
  TypeMethods methods;
  methods.rdb_load = load_lost;
  methods.rdb_save = save_lost;
  methods.aof_rewrite = rewrite_lost;
  methods.mem_usage = [](const void* value) {
    return sizeof(LostFilter) + lost_of(value).why.size();
  };
  methods.digest = [](Digest* of, void* value) {
    const std::string& why = lost_of(value).why;
    api().digest_bytes(of, why.data(), why.size());
    api().digest_end(of);
  };
  methods.free = [](void* value) { delete static_cast<LostFilter*>(value); };
  methods.copy = [](String*, String*, const void* value) -> void* {
    return new (std::nothrow) LostFilter(lost_of(value));
  };
  return methods;
}

}  // namespace

std::array<Type*, 3> register_half_types(Context* context, const Names& names) {
  const auto make = [&](const char* usual, const char* beside, TypeMethods methods) {
    return api().create_data_type(context, names.type(usual, beside), kEncodingVersion, &methods);
  };
  return {make("bloomeryH", "bloomeryh", chain_methods()),
          make("bloomeryK", "bloomeryk", cuckoo_methods()),
          make("bloomeryX", "bloomeryx", lost_methods())};
}

}  // namespace bloomery::module
