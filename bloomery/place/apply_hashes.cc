// SPDX-License-Identifier: Apache-2.0
#include "bloomery/place/apply_hashes.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "bloomery/bits/bit_ops.h"

namespace bloomery {
namespace {

// Returns 1 where one of the bits was clear, else 0.
std::size_t set_bits(std::span<std::uint64_t> words, std::span<const Probe> probes) noexcept {
  bool is_new = false;
  for (const Probe& probe : probes) {
    is_new |= set_mask_atomically(words[probe.position / kWordBits], bit_mask(probe.position));
  }
  return is_new ? 1 : 0;
}

}  // namespace

std::uint64_t apply_hashes(AnyFilter& filter, std::span<const HashPair> hashes) {
  const std::size_t layers = filter.contents().layers.size();
  std::uint64_t added = 0;
  std::array<bool, 256> found{};
  while (!hashes.empty()) {
    const auto batch = hashes.first(std::min(hashes.size(), found.size()));
    hashes = hashes.subspan(batch.size());
    std::as_const(filter).may_contain_many(batch, {found.data(), batch.size()});
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (found[i]) continue;
      std::vector<Probe> probes = filter.probes(batch[i]);
      if (layers != 0) {
        std::erase_if(probes, [&](const Probe& each) { return each.layer + 1 != layers; });
        added += set_bits(filter.layer_words(layers - 1), probes);
      } else {
        filter.change_words([&](std::span<std::uint64_t> words) {
          added += set_bits(words, probes);
          return std::size_t{0};
        });
      }
    }
  }
  return added;
}

}  // namespace bloomery
