// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bloomery/filter/blocked_shape.h"
#include "bloomery/filter/fuse_shape.h"
#include "bloomery/filter/geometry.h"
#include "bloomery/filter/native_probes.h"
#include "bloomery/hash/xxh3.h"

namespace bloomery {
struct StaticOptions;
}

// static_bytes: what building a static filter and asking it share: how its bytes end, and which
// bits a key has.
namespace bloomery::static_bytes {

inline constexpr std::size_t kTrailerBytes = 8;
inline constexpr std::size_t kChecksumBytes = 4;
inline constexpr std::uint8_t kBloomMark = 0xb1;
inline constexpr std::uint8_t kFuseMark = 0xb2;
inline constexpr std::uint32_t kAttempts = 16;

inline HashPair moved_by(HashPair hash, std::uint32_t attempt) noexcept {
  for (; attempt > 0; --attempt) hash = second_pair(hash);
  return hash;
}

// Calls visit(position) for every probe of a pair, until it returns false.
template <class Visit>
bool for_all_positions(const Geometry& geometry, HashPair hash, Visit visit) noexcept {
  if (geometry.lines_per_key == 0) {
    for (std::uint32_t i = 0; i < geometry.probe_count; ++i) {
      if (!visit(NativeProbes::position(hash, i, geometry.bit_count))) return false;
    }
    return true;
  }
  return all_positions(BlockedShape::of(geometry), hash, visit);
}

inline std::uint32_t checksum_of(std::span<const std::byte> bytes) noexcept {
  return static_cast<std::uint32_t>(xxh3_64(bytes));
}

// FirstShape: the shape that is tried first for so many distinct keys, at least one. Few sets of
// thousands of keys need more bits.
struct FirstShape {
  Geometry bloom{};
  std::optional<FuseShape> fuse;  // in its place
};
FirstShape first_shape(std::uint64_t key_count, const StaticOptions& options);

// Builds the bytes of a static filter from the pairs of a set of keys, each of them given once.
std::vector<std::byte> build(std::span<const HashPair> hashes, const StaticOptions& options);

}  // namespace bloomery::static_bytes
