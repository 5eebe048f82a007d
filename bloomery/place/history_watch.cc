// SPDX-License-Identifier: Apache-2.0
#include "bloomery/place/history_watch.h"

#include <algorithm>
#include <utility>

namespace bloomery {
namespace {

bool lies_below(const Watermark& said, const std::optional<Watermark>& other) noexcept {
  return other && other->source == said.source && said.position < other->position;
}

bool stands_at(const Proofs& known, const Watermark& position) {
  return std::ranges::any_of(known.all(), [&](const Proof& each) {
    return each.watermark && each.watermark->reaches(position);
  });
}

bool stands_at_any(const Proofs& known, const std::vector<Watermark>& positions) {
  return std::ranges::any_of(positions,
                             [&](const Watermark& each) { return stands_at(known, each); });
}

}  // namespace

HistoryWatch::Before HistoryWatch::begin(Proofs known) const {
  const std::lock_guard lock(mutex_);
  return {.known = std::move(known), .must_look = !lost_.empty(), .highest = highest_};
}

HistoryWatch::Verdict HistoryWatch::judge(Before& before, const Watermark& said) {
  const std::lock_guard lock(mutex_);
  const bool went_back = lies_below(said, before.highest);
  // `is_another`: the database named another source last. Of this source it may have reported a
  // higher position before that.
  const bool is_another = before.highest && before.highest->source != said.source;
  for (const Proof& each : before.known.all()) {
    if (lies_below(said, each.watermark)) before.proven.push_back(*each.watermark);
  }
  if (!before.has_looked && (went_back || is_another || !before.proven.empty())) {
    if (went_back) before.proven.push_back(*before.highest);
    return Verdict::look;
  }
  forget_others(before);
  // A filter that could not be looked at as a whole stands where its earlier proofs stood.
  const bool is_proven =
      before.has_failed ? !before.proven.empty() : stands_at_any(before.known, before.proven);
  if (is_proven) {
    for (const Watermark& lost : before.proven) {
      if (std::ranges::find(lost_, lost) == lost_.end()) lost_.push_back(lost);
    }
    if (lost_known_.is_empty()) lost_known_ = before.known;
    return Verdict::lost;
  }
  // Below the fence it denies nothing, and may be found to be another one by being asked.
  if (stands_at(before.known, said) && stands_at_any(before.known, lost_)) return Verdict::lost;
  before.is_barred = !lost_.empty();
  // Lowers `highest_` only for a database that went back, and after a look at the whole filter.
  // Otherwise a higher position, which another thread may have recorded meanwhile, stays.
  if ((went_back && !before.has_failed) || !lies_below(said, highest_)) highest_ = said;
  return Verdict::one_history;
}

void HistoryWatch::note(const Watermark& said) {
  const std::lock_guard lock(mutex_);
  if (highest_ && said.reaches(*highest_)) highest_ = said;
}

// Forgets each lost position that the filter now stands below, and all of them if the place has
// another filter. Forgets none if the filter was not looked at as a whole.
void HistoryWatch::forget_others(const Before& before) {
  if (!before.has_looked || before.has_failed || lost_.empty()) return;
  if (!lost_known_.is_empty() && !before.known.shares_filter_with(lost_known_)) {
    lost_.clear();
  } else {
    std::erase_if(lost_, [&](const Watermark& lost) {
      const auto is_of_it = [&](const Proof& each) {
        return each.watermark && each.watermark->source == lost.source;
      };
      return std::ranges::any_of(before.known.all(), is_of_it) && !stands_at(before.known, lost);
    });
  }
  if (lost_.empty()) lost_known_ = {};
}

}  // namespace bloomery
