// SPDX-License-Identifier: Apache-2.0
// Bytes as whatever may hold a RedisBloom filter: a dump of a server, DUMP's payload, SCANDUMP's
// header and pieces. Refused, or a filter that works and is written and read again as it is.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/format/rdb/crc64.h"
#include "bloomery/format/rdb/native_value.h"
#include "bloomery/format/rdb/rdb_file.h"
#include "bloomery/format/redisbloom/redisbloom_dump.h"
#include "bloomery/format/redisbloom/redisbloom_payload.h"
#include "fuzz_target.h"

using namespace bloomery;

namespace {

using Bytes = std::vector<std::byte>;

// The next link of a chain that says it is full may be as large as the machine's memory.
bool grows_far(const AnyFilter& filter) {
  const FilterContents contents = filter.contents();
  return static_cast<double>(contents.layers.back().capacity) *
             contents.parameters.growth.expansion >
         1e6;
}

void use(AnyFilter filter) {
  const auto encoded = [](const AnyFilter& of) {
    Bytes bytes;
    redisbloom::encode_dump(of.contents(), [&](std::span<const std::byte> piece) {
      bytes.insert(bytes.end(), piece.begin(), piece.end());
    });
    return bytes;
  };
  const Bytes bytes = encoded(filter);
  AnyFilter again = redisbloom::decode_dump(bytes);
  promise(encoded(again) == bytes);
  if (grows_far(filter)) return;
  try {
    const bool is_new = filter.insert("key");
    promise(filter.may_contain("key"));
    promise(again.insert("key") == is_new);
    promise(encoded(again) == encoded(filter));
  } catch (const std::invalid_argument&) {
    // Full, or its next link would be too large.
  }
}

void load_pieces(std::span<const std::byte> bytes) {
  constexpr std::uint64_t kMostMemory = 1 << 20;
  const FilterContents header = redisbloom::decode_header(bytes);
  if (redisbloom::memory_bytes(header.layers) > kMostMemory) return;
  redisbloom::ChunkLoader loader(header);
  // The header's own bytes, as pieces of all sizes at all places.
  for (std::uint64_t size = 0; size < bytes.size(); size += 7) {
    loader.load(3 * size + 1, bytes.first(size));
  }
  loader.missing_bytes();
  use(loader.chain());
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
  attempt([&] { use(redisbloom::decode_dump(bytes)); });
  attempt([&] { load_pieces(bytes); });
  attempt([&] {
    // With the right checksum, so that what stands before it is looked at.
    Bytes payload(bytes.begin(), bytes.end());
    const std::uint64_t crc = rdb::crc64(payload);
    const auto tail = std::as_bytes(std::span(&crc, 1));
    payload.insert(payload.end(), tail.begin(), tail.end());
    use(redisbloom::decode_payload(payload));
  });
  attempt([&] {
    for (const rdb::ModuleKey& key : rdb::read_rdb(bytes).modules) {
      attempt([&] { rdb::describe(bytes, key); });
      attempt([&] { use(rdb::extract(bytes, key)); });
      attempt([&] { rdb::describe_native(bytes, key); });
      attempt([&] { use(rdb::extract_native(bytes, key).filter); });
      attempt([&] { rdb::extract_cuckoo(bytes, key); });
    }
  });
  return 0;
}
