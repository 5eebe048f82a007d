// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/format/redisbloom/redisbloom_cuckoo.h"

// The dump that CF.SCANDUMP gives and CF.LOADCHUNK takes: a header, then the slots of the
// sub-filters, the oldest first. Numbers are little-endian and packed, 38 bytes:
//
//   items 8   buckets of the oldest 8   deletes 8   sub-filters 8
//   bucket size 2   iterations 2   expansion 2
//
// Position 1 is behind the header, and 1 + n behind n slots. A sub-filter of up to 16 MiB comes
// whole. Old releases:
//
//   up to 2.0.3      32 bytes, without the last three: buckets of 2 slots, sub-filters alike, and
//                    the old hash. Position 1 + n is behind n buckets.
//   2.2.0 to 2.2.6   46 bytes, the last 8 of which mean nothing. Position 1 + n is behind n
//                    buckets, but a piece that begins at bucket b of a sub-filter has the slots
//                    from slot b on, and sub-filters that are larger than the oldest are cut.
//   2.2.7 to 2.2.10  46 bytes, and positions as now
//   with a hash seed 54 bytes (redisbloom_hash_seed.h)
//
// A filter of the old hash (redisbloom_cuckoo_hash.h) has bit 62 of its sub-filters set:
// RedisBloom, which would not find its members, then refuses it.
namespace bloomery::redisbloom {

inline constexpr std::size_t kCuckooHeaderBytes = 38;
inline constexpr std::uint64_t kOldHashMark = std::uint64_t{1} << 62;
inline constexpr std::uint64_t kMostCuckooChunkBytes = std::uint64_t{16} << 20;

// The unit that positions of a dump count. `unsaid`: its first piece tells. Stored with half a
// filter: numbers are never reused.
enum class CuckooPositions : std::uint8_t { slots, buckets, buckets_of_2_2, unsaid };
// Throws FormatError where the number is none of these.
CuckooPositions cuckoo_positions(std::uint64_t stored);

std::array<std::byte, kCuckooHeaderBytes> encode_cuckoo_header(const CuckooShape& shape);
// Throw FormatError where the header is none, or impossible; the first takes those of 38 bytes, and
// of 54.
CuckooShape decode_cuckoo_header(std::span<const std::byte> header);
CuckooShape decode_any_cuckoo_header(std::span<const std::byte> header, CuckooPositions& positions);
bool is_cuckoo_header(std::uint64_t byte_count) noexcept;  // by its size

// The position in slots that follows a piece of so many; what `positions` leave unsaid, they say
// then. 0, where there is no position, where they are not those of the dump.
std::uint64_t position_in_slots(CuckooPositions& positions, const CuckooShape& shape,
                                std::uint64_t position, std::uint64_t slots) noexcept;

// The sub-filters as they are stored, with the mark.
std::uint64_t stored_sub_filters(const CuckooShape& shape) noexcept;
void take_sub_filters(std::uint64_t stored, CuckooShape& shape) noexcept;

// The answer of CF.SCANDUMP to a position other than 0: the next one, and slots, which are the
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
