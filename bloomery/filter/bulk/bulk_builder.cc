// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/bulk/bulk_builder.h"

#include <algorithm>

#include "bloomery/filter/bulk/bulk_plan.h"

namespace bloomery {

BulkBuilder::BulkBuilder(AnyFilter& filter, std::uint64_t key_count, const BulkOptions& options)
    : filter_(filter) {
  if (filter.parameters().kind != FilterKind::blocked) return;
  layout_.emplace(filter.parameters());
  const RegionOps& ops = layout_->region_ops();
  if (const auto plan = plan_bulk(layout_->shape(), ops, options, key_count)) {
    round_ = make_round(layout_->shape(), ops, *plan);
    part_keys_ = plan->part_keys;
    round_keys_ = plan->round_keys();
  }
}

void BulkBuilder::add(KeyBatch keys) {
  if (!round_) {
    added_ += filter_.insert_many(keys);
    return;
  }
  for (std::size_t first = 0; first < keys.size();) {
    // The parts of a round are filled one after the other.
    const std::size_t room = part_keys_ - held_ % part_keys_;
    const std::size_t count = std::min(keys.size() - first, room);
    keys.subbatch(first, count).visit([this](auto some) {
      const auto hashed = layout_->key_blocks(some);
      round_->add(held_ / part_keys_, hashed.blocks());
    });
    first += count;
    held_ += count;
    if (held_ == round_keys_) apply();
  }
}

void BulkBuilder::apply() noexcept {
  added_ +=
      filter_.change_words([this](std::span<std::uint64_t> words) { return round_->apply(words); });
  held_ = 0;
}

std::size_t BulkBuilder::finish() noexcept {
  if (held_ != 0) apply();
  return added_;
}

}  // namespace bloomery
