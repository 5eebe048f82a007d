// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/bulk/build_parallel.h"

#include <algorithm>

#include "bloomery/filter/bulk/bulk_plan.h"
#include "bloomery/filter/bulk/run_threads.h"

namespace bloomery {
namespace {

template <class K>
std::size_t insert_in_rounds(const BlockedLayout& layout, std::span<std::uint64_t> words,
                             std::span<const K> keys, const BulkOptions& options) noexcept {
  std::size_t added = 0;
  const RegionOps& ops = layout.region_ops();
  if (const auto plan = plan_bulk(layout.shape(), ops, options, keys.size())) {
    auto round = make_round(layout.shape(), ops, *plan);
    while (round && !keys.empty()) {
      const std::span<const K> some = keys.first(std::min(keys.size(), plan->round_keys()));
      const std::size_t share = (some.size() + plan->parts - 1) / plan->parts;
      run_threads(plan->parts, [&](std::size_t part) {
        const std::size_t first = std::min(some.size(), part * share);
        const std::size_t count = std::min(some.size() - first, share);
        const auto hashed = layout.key_blocks(some.subspan(first, count));
        round->add(part, hashed.blocks());
      });
      added += round->apply(words);
      keys = keys.subspan(some.size());
    }
  }
  return keys.empty() ? added : added + layout.insert_batch(words, keys, nullptr);
}

}  // namespace

std::size_t insert_bulk(const BlockedLayout& layout, std::span<std::uint64_t> words, KeyBatch keys,
                        const BulkOptions& options) noexcept {
  return keys.visit(
      [&](auto all) noexcept { return insert_in_rounds(layout, words, all, options); });
}

}  // namespace bloomery
