#include "bloomery/filter/blocked_layout.h"

#include <string>

#include "bloomery/bits/bit_ops.h"
#include "bloomery/errors.h"

namespace bloomery {

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

void BlockedLayout::hash_many(std::span<const std::uint64_t> integers,
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
  for_each_position(hash, [&](std::uint64_t position) {
    added |= set_mask_atomically(words[position / kWordBits], bit_mask(position));
  });
  return added;
}

std::vector<std::uint64_t> BlockedLayout::positions(HashPair hash) const {
  std::vector<std::uint64_t> all;
  for_each_position(hash, [&](std::uint64_t position) { all.push_back(position); });
  return all;
}

}  // namespace bloomery
