// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bloomery/bits/heap_words.h"
#include "bloomery/filter/bulk/regions.h"
#include "bloomery/filter/bulk/scatter.h"
#include "bloomery/filter/kernels/blocked_kernel.h"
#include "bloomery/filter/kernels/region_kernel.h"

namespace bloomery {

// BulkRound: some keys on their way into a blocked filter, first sorted by region, by as many
// threads as there are parts, then set region by region, each in the cache of one thread. Bits and
// the number of new keys are those of inserting one by one, part after part: what is new in a line
// depends on the keys of that line alone, and those keys keep their order.
class BulkRound {
 public:
  // Room for `part_keys` in each of `parts` (at least one), at most Scatter::kMostProbes. Throws as
  // Scatter does.
  BulkRound(const BlockedShape& shape, const RegionOps& ops, std::size_t parts,
            std::size_t part_keys);

  // How much memory that takes.
  static std::uint64_t byte_count(const BlockedShape& shape, std::size_t parts,
                                  std::size_t part_keys) noexcept;
  // The most keys of a part for which byte_count() is at most `bytes`.
  static std::size_t part_keys_within(std::uint64_t bytes, const BlockedShape& shape,
                                      std::size_t parts) noexcept;

  // Adds keys of a part, behind those that it has. Different parts may be added to together.
  void add(std::size_t part, const HashBlocks& hashes) noexcept;

  // Sets the bits of all keys, by as many threads as there are parts, and forgets the keys. Returns
  // how many were new.
  std::size_t apply(std::span<std::uint64_t> words) noexcept;

 private:
  // With two lines a key, the number of a first probe is the position of the second, and `present`
  // says of that position whether the first probe found all its bits set: only then may the key
  // owe being new to its second line.
  struct Part {
    Part(const BlockedShape& shape, const RegionOps& ops, std::size_t part_keys);

    std::uint8_t* present() noexcept {
      return reinterpret_cast<std::uint8_t*>(present_words.words().data());
    }

    Scatter first;
    Scatter second;
    HeapWords present_words;
    std::size_t added = 0;  // by the thread of this part
  };

  template <class Insert>
  void apply_half(std::span<std::uint64_t> words, const HalfRegions& half, Scatter Part::*scatter,
                  Insert insert) noexcept;
  template <class Insert>
  std::size_t apply_region(std::span<std::uint64_t> words, const HalfRegions& half,
                           std::size_t region, Scatter Part::*scatter, Insert insert) noexcept;
  std::size_t insert_first(Part& part, const RegionWork& work, const Scatter::Piece& piece) const;
  std::size_t insert_second(Part& part, const RegionWork& work, const Scatter::Piece& piece) const;

  BlockedShape shape_;
  const RegionOps* ops_;
  std::vector<Part> parts_;
};

}  // namespace bloomery
