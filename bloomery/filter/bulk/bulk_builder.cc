// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/bulk/bulk_builder.h"

#include <algorithm>
#include <span>
#include <utility>

#include "bloomery/filter/blocked_layout.h"
#include "bloomery/filter/bulk/bulk_plan.h"
#include "bloomery/filter/bulk/bulk_round.h"
#include "bloomery/filter/key_blocks.h"

namespace bloomery {

struct BulkBuilder::Rounds {
  BlockedLayout layout;
  BulkRound round;
  std::size_t part_keys;
  std::size_t round_keys;
  std::size_t held = 0;  // keys in the round
};

BulkBuilder::BulkBuilder(AnyFilter& filter, std::uint64_t key_count, const BulkOptions& options)
    : filter_(filter) {
  if (filter.parameters().kind != FilterKind::blocked) return;
  const BlockedLayout layout(filter.parameters());
  const RegionOps& ops = layout.region_ops();
  const auto plan = plan_bulk(layout.shape(), ops, options, key_count);
  if (!plan) return;
  auto round = make_round(layout.shape(), ops, *plan);
  if (!round) return;
  rounds_ = std::make_unique<Rounds>(
      Rounds{layout, std::move(*round), plan->part_keys, plan->round_keys()});
}

BulkBuilder::~BulkBuilder() {
  finish();
}

void BulkBuilder::add(KeyBatch keys) {
  if (rounds_ == nullptr) {
    added_ += filter_.insert_many(keys);
    return;
  }
  Rounds& of = *rounds_;
  for (std::size_t first = 0; first < keys.size();) {
    // The parts of a round are filled one after the other.
    const std::size_t room = of.part_keys - of.held % of.part_keys;
    const std::size_t count = std::min(keys.size() - first, room);
    keys.subbatch(first, count).visit([&](auto some) {
      const auto hashed = of.layout.key_blocks(some);
      of.round.add(of.held / of.part_keys, hashed.blocks());
    });
    first += count;
    of.held += count;
    if (of.held == of.round_keys) apply();
  }
}

void BulkBuilder::apply() noexcept {
  added_ += filter_.change_words(
      [this](std::span<std::uint64_t> words) { return rounds_->round.apply(words); });
  rounds_->held = 0;
}

std::size_t BulkBuilder::finish() noexcept {
  if (rounds_ != nullptr && rounds_->held != 0) apply();
  return added_;
}

}  // namespace bloomery
