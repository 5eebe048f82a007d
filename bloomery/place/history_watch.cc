// SPDX-License-Identifier: Apache-2.0
#include "bloomery/place/history_watch.h"

#include <algorithm>

namespace bloomery {
namespace {

bool lies_below(const Watermark& said, const Watermark& other) noexcept {
  return other.source == said.source && said.position < other.position;
}
bool lies_below(const Watermark& said, const std::optional<Watermark>& other) noexcept {
  return other && lies_below(said, *other);
}

}  // namespace

bool HistoryWatch::must_look() const {
  const std::lock_guard lock(mutex_);
  return !lost_.empty();
}

HistoryWatch::Before HistoryWatch::begin() const {
  const std::lock_guard lock(mutex_);
  return {.highest = highest_};
}

HistoryWatch::Verdict HistoryWatch::judge(Before& before, const Watermark& said) {
  const std::lock_guard lock(mutex_);
  const bool went_back = lies_below(said, before.highest);
  // Of this source it may have said more, before it spoke of the other one.
  const bool is_another = before.highest && before.highest->source != said.source;
  for (const Watermark& read : before.read) {
    if (lies_below(said, read)) before.proven.push_back(read);
  }
  if (!before.has_looked && (went_back || is_another || !before.proven.empty())) {
    if (went_back) before.proven.push_back(*before.highest);
    return Verdict::look;
  }
  forget_others(before);
  const auto stands_at = [&](const Watermark& lost) {
    return std::ranges::any_of(before.read,
                               [&](const Watermark& read) { return read.reaches(lost); });
  };
  const auto is_proven = std::ranges::find_if(before.proven, stands_at) != before.proven.end();
  if (is_proven) {
    for (const Watermark& lost : before.proven) {
      if (std::ranges::find(lost_, lost) == lost_.end()) lost_.push_back(lost);
    }
    if (!lost_filters_) lost_filters_ = before.filters;
    return Verdict::lost;
  }
  // Below the fence it denies nothing, and may be found to be another one by being asked.
  const auto is_up_to_date = [&](const Watermark& read) {
    return read.reaches(said) &&
           std::ranges::any_of(lost_, [&](const Watermark& lost) { return read.reaches(lost); });
  };
  if (std::ranges::any_of(before.read, is_up_to_date)) return Verdict::lost;
  before.is_barred = !lost_.empty();
  // Another thread may have been told more meanwhile.
  if ((went_back && !before.has_failed) || !lies_below(said, highest_)) highest_ = said;
  return Verdict::one_history;
}

// Another filter, or one that stands lower, is not the one that was ahead. Of one that could not be
// looked at nobody knows.
void HistoryWatch::forget_others(const Before& before) {
  if (before.has_failed || lost_.empty()) return;
  if (lost_filters_ && before.filters && *lost_filters_ != *before.filters) {
    lost_.clear();
  } else {
    std::erase_if(lost_, [&](const Watermark& lost) {
      const auto is_of_it = [&](const Watermark& read) { return read.source == lost.source; };
      return std::ranges::any_of(before.read, is_of_it) &&
             std::ranges::none_of(before.read,
                                  [&](const Watermark& read) { return read.reaches(lost); });
    });
  }
  if (lost_.empty()) lost_filters_.reset();
}

}  // namespace bloomery
