#include "bloomery/guard/history_watch.h"

#include <algorithm>

namespace bloomery {
namespace {

constexpr std::chrono::milliseconds kLookEvery{100};

bool lies_below(const Watermark& said, const Watermark& other) noexcept {
  return other.source == said.source && said.position < other.position;
}
bool lies_below(const Watermark& said, const std::optional<Watermark>& other) noexcept {
  return other && lies_below(said, *other);
}

}  // namespace

bool HistoryWatch::is_due() const {
  const std::lock_guard lock(mutex_);
  return Clock::now() >= look_at_;
}

HistoryWatch::Before HistoryWatch::begin() const {
  const std::lock_guard lock(mutex_);
  return {.highest = highest_};
}

HistoryWatch::Verdict HistoryWatch::judge(const Before& before, const Watermark& said) {
  const std::lock_guard lock(mutex_);
  const bool went_back = lies_below(said, before.highest);
  // Of this source it may have said more, before it spoke of the other one.
  const bool is_another = before.highest && before.highest->source != said.source;
  if ((went_back || is_another) && !before.has_looked) return Verdict::look;
  const auto is_ahead = [&](const Watermark& read) { return lies_below(said, read); };
  if (std::ranges::any_of(before.read, is_ahead)) {
    look_at_ = {};
    return Verdict::lost;
  }
  if (!before.read.empty()) look_at_ = Clock::now() + kLookEvery;
  // Another thread may have been told more meanwhile.
  if (went_back || !lies_below(said, highest_)) highest_ = said;
  return Verdict::one_history;
}

}  // namespace bloomery
