// SPDX-License-Identifier: Apache-2.0
// Bytes as whatever may hold a cuckoo filter of RedisBloom: the values of a dump, SCANDUMP's header
// and pieces. Refused, or a filter that works and is written and read again as it is.
#include <algorithm>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/format/rdb/module_value.h"
#include "bloomery/format/redisbloom/redisbloom_cuckoo_dump.h"
#include "bloomery/format/redisbloom/redisbloom_cuckoo_rdb.h"
#include "fuzz_target.h"

using namespace bloomery;
using redisbloom::CuckooFilter;

namespace {

using Bytes = std::vector<std::byte>;
constexpr std::uint64_t kMostMemory = 1 << 16;

Bytes encoded(const CuckooFilter& filter) {
  Bytes bytes;
  rdb::ModuleWriter writer([&](std::span<const std::byte> piece) {
    bytes.insert(bytes.end(), piece.begin(), piece.end());
  });
  redisbloom::write_cuckoo_value(filter, writer);
  writer.end();
  return bytes;
}

CuckooFilter decoded(std::span<const std::byte> bytes, std::uint32_t version) {
  rdb::RdbCursor cursor(bytes, "values");
  rdb::ModuleReader reader(cursor);
  CuckooFilter filter = redisbloom::read_cuckoo_value(reader, version);
  reader.expect_end();
  return filter;
}

void use(CuckooFilter filter) {
  const Bytes bytes = encoded(filter);
  CuckooFilter again = decoded(bytes, redisbloom::kCuckooEncodingVersion);
  promise(encoded(again) == bytes);
  if (redisbloom::slot_bytes(filter.shape()) > kMostMemory ||
      redisbloom::sub_filter_bytes(filter.shape(), filter.shape().sub_filters - 1) *
              std::max(filter.shape().expansion, std::uint64_t{1}) >
          kMostMemory) {
    return;
  }
  redisbloom::CuckooWork work{.steps = 100'000};
  for (int i = 0; i < 20; ++i) {
    const std::string key = std::to_string(i);
    const std::uint64_t before = filter.count(key);
    if (filter.insert(key, work) == redisbloom::CuckooInsert::added) {
      promise(filter.may_contain(key) && filter.count(key) > before);
    }
  }
  filter.compact();
  for (int i = 0; i < 20; ++i) filter.erase(std::to_string(i));
  promise(encoded(filter.clone()) == encoded(filter));
}

void load_pieces(std::span<const std::byte> bytes) {
  if (bytes.size() < redisbloom::kCuckooHeaderBytes) return;
  const auto header = bytes.first(redisbloom::kCuckooHeaderBytes);
  const auto shape = redisbloom::decode_cuckoo_header(header);
  promise(std::ranges::equal(redisbloom::encode_cuckoo_header(shape), header));
  if (redisbloom::memory_bytes(shape) > kMostMemory) return;
  CuckooFilter filter(shape);
  const auto slots = bytes.subspan(header.size());
  // Chunks of all sizes go to all places.
  for (std::uint64_t size = 0; size < slots.size(); size += 7) {
    redisbloom::load_cuckoo_chunk(filter, 3 * size + 1, slots.first(size));
  }
  redisbloom::load_cuckoo_chunk(filter, 1 + slots.size(), slots);
  use(std::move(filter));
}

template <class Try>
void attempt(Try decode) {
  try {
    decode();
  } catch (const FormatError&) {
    // Refused, which is an answer.
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  attempt([&] { load_pieces(bytes); });
  for (const std::uint32_t version : {3U, 4U}) {
    attempt([&] { use(decoded(bytes, version)); });
  }
  return 0;
}
