#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/format/redisbloom_cuckoo.h"

// What CF.SCANDUMP gives and CF.LOADCHUNK takes: a header, then the slots of the sub-filters, the
// oldest first. Numbers are little-endian and packed, 38 bytes:
//
//   items 8   buckets of the oldest 8   deletes 8   sub-filters 8
//   bucket size 2   iterations 2   expansion 2
//
// Position 1 is behind the header, and 1 + n behind n slots. A sub-filter of up to 16 MiB comes
// whole. A filter of the old hash (redisbloom_cuckoo_hash.h) has bit 62 of its sub-filters set:
// RedisBloom, which would not find its members, then refuses it.
namespace bloomery::redisbloom {

inline constexpr std::size_t kCuckooHeaderBytes = 38;
inline constexpr std::uint64_t kOldHashMark = std::uint64_t{1} << 62;
inline constexpr std::uint64_t kMostCuckooChunkBytes = std::uint64_t{16} << 20;

std::array<std::byte, kCuckooHeaderBytes> encode_cuckoo_header(const CuckooShape& shape);
// Throws FormatError where the header is none, or impossible.
CuckooShape decode_cuckoo_header(std::span<const std::byte> header);

// The sub-filters as they are stored, with the mark.
std::uint64_t stored_sub_filters(const CuckooShape& shape) noexcept;
void take_sub_filters(std::uint64_t stored, CuckooShape& shape) noexcept;

// What CF.SCANDUMP answers to a position other than 0: the next one, and slots, which are the
// filter's own; {0, none} is the end. As with RedisBloom, any position in a sub-filter that comes
// whole gives all of it.
struct CuckooChunk {
  std::uint64_t next = 0;
  std::span<const std::byte> slots{};
};
CuckooChunk cuckoo_chunk(const CuckooFilter& filter, std::uint64_t position,
                         std::uint64_t most_bytes = kMostCuckooChunkBytes) noexcept;

// Puts slots where they were, given the position that followed them. False, and nothing changed,
// where they are none or not those of one sub-filter.
bool load_cuckoo_chunk(CuckooFilter& filter, std::uint64_t position,
                       std::span<const std::byte> slots) noexcept;

}  // namespace bloomery::redisbloom
