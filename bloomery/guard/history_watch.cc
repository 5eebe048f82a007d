#include "bloomery/guard/history_watch.h"

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
  return is_lost_;
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
  const bool is_lost = std::ranges::any_of(before.proven, [&](const Watermark& lost) {
    return std::ranges::any_of(before.read,
                               [&](const Watermark& read) { return read.reaches(lost); });
  });
  // What could not be looked at is still what it was.
  if (is_lost || !before.has_failed) is_lost_ = is_lost;
  if (is_lost) return Verdict::lost;
  // Another thread may have been told more meanwhile.
  if ((went_back && !before.has_failed) || !lies_below(said, highest_)) highest_ = said;
  return Verdict::one_history;
}

}  // namespace bloomery
