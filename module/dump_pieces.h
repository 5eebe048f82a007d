// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "bloomery/format/redisbloom/redisbloom_cuckoo_dump.h"
#include "bloomery/format/redisbloom/redisbloom_dump.h"
#include "module/stored_cuckoo.h"
#include "module/stored_filter.h"
#include "module/type_parts.h"

// Filters of RedisBloom's as its dumps have them: a header, then every byte in pieces.
namespace bloomery::module {

inline auto header_of(const StoredFilter& filter) {
  return redisbloom::encode_header(filter.contents());
}
inline auto header_of(const StoredCuckoo& stored) {
  return redisbloom::encode_cuckoo_header(stored.filter().shape());
}

// Calls take(iterator, bytes), with the number that a dump gives each piece.
inline void each_piece(const StoredFilter& filter, auto take) {
  const FilterContents contents = filter.contents();
  for (std::uint64_t iterator = 1;;) {
    const redisbloom::Chunk chunk = redisbloom::dump_chunk(contents, iterator);
    if (chunk.next == 0) return;
    take(chunk.next, chunk.bytes);
    iterator = chunk.next;
  }
}
inline void each_piece(const StoredCuckoo& stored, auto take) {
  for (std::uint64_t position = 1;;) {
    const redisbloom::CuckooChunk chunk = redisbloom::cuckoo_chunk(stored.filter(), position);
    if (chunk.next == 0) return;
    take(chunk.next, chunk.slots);
    position = chunk.next;
  }
}

inline std::uint64_t memory_of(const StoredFilter& filter) {
  return filter.memory_bytes() + filter.ring_bytes();
}
inline std::uint64_t memory_of(const StoredCuckoo& stored) {
  return redisbloom::memory_bytes(stored.filter().shape());
}

// Each sub-filter is freed by itself.
inline std::size_t effort_of(const StoredFilter& filter) {
  return free_effort_of(memory_of(filter));
}
inline std::size_t effort_of(const StoredCuckoo& stored) {
  return stored.filter().shape().sub_filters + free_effort_of(memory_of(stored));
}

}  // namespace bloomery::module
