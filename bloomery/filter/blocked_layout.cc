#include "bloomery/filter/blocked_layout.h"

#include <string>

#include "bloomery/bits/bit_ops.h"
#include "bloomery/errors.h"

namespace bloomery {
namespace {

// Calls visit(lane_number, bit) for every probe of a key, lanes numbered through the whole array.
template <class Visit>
void for_each_probe(const BlockedShape& shape, HashPair hash, Visit visit) {
  for (std::uint32_t line = 0; line < (shape.two_lines() ? 2U : 1U); ++line) {
    const HashPair pair = line == 0 ? hash : second_pair(hash);
    const std::uint64_t at = line * shape.lines + fast_range(pair.h1, shape.lines);
    for (std::uint32_t i = 0; i < shape.probes[line]; ++i) {
      // With all eight lanes the order does not matter, and starts at lane 0.
      const std::uint32_t first = shape.probes[line] == kLaneCount ? 0 : first_lane(pair.h2);
      const std::uint32_t lane = (first + i) % kLaneCount;
      visit(at * kLaneCount + lane, lane_bit(pair.h2, lane));
    }
  }
}

}  // namespace

void BlockedLayout::check(const FilterParameters& parameters) {
  const Geometry& geometry = parameters.geometry;
  const std::uint32_t lines = geometry.lines_per_key;
  const bool possible = (lines == 1 || lines == 2) && geometry.bit_count != 0 &&
                        geometry.bit_count % (lines * kLineBits) == 0 &&
                        geometry.probe_count >= lines && geometry.probe_count <= lines * kLaneCount;
  if (!possible) {
    throw FormatError("impossible geometry of a blocked filter: " + std::to_string(lines) +
                      " lines a key (1 or 2), " + std::to_string(geometry.bit_count) +
                      " bits (whole lines of 512 for each), " +
                      std::to_string(geometry.probe_count) + " probes (1 to 8 a line)");
  }
}

void BlockedLayout::hash_block(std::span<const std::uint64_t> integers,
                               HashPair* out) const noexcept {
  if (hash_.id() == HashId::native) {
    hash_integers_(integers.data(), integers.size(), hash_.spread_seed(), out);
  } else {
    for (const std::uint64_t integer : integers) *out++ = hash_(integer);
  }
}

bool BlockedLayout::insert_concurrently(std::span<std::uint64_t> words,
                                        HashPair hash) const noexcept {
  bool added = false;
  for_each_probe(shape_, hash, [&](std::uint64_t lane, std::uint32_t bit) {
    added |= set_mask_atomically(words[lane], bit_mask(bit));
  });
  return added;
}

std::vector<std::uint64_t> BlockedLayout::positions(HashPair hash) const {
  std::vector<std::uint64_t> all;
  for_each_probe(shape_, hash, [&](std::uint64_t lane, std::uint32_t bit) {
    all.push_back(lane * kWordBits + bit);
  });
  return all;
}

}  // namespace bloomery
