// SPDX-License-Identifier: Apache-2.0
#include "bloomery/follow/follower_audit.h"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <utility>

namespace bloomery {
namespace {

constexpr std::size_t kMostKept = 4096;
constexpr std::size_t kLongestKept = 1024;  // bytes
constexpr std::size_t kAskedAtOnce = 256;

bool stands_at(const PlaceHead& now, const PlaceHead& head) noexcept {
  return now.identity == head.identity && now.watermark == head.watermark && now.beat == head.beat;
}

// Asks the place as a reader does whose fence is `there`.
std::vector<Presence> ask_behind(const Watermark& there, FilterPlace& place,
                                 std::span<const std::string> some, const CallContext& context) {
  const std::vector<Key> keys(some.begin(), some.end());
  std::vector<Presence> answers(keys.size(), Presence::unknown);
  const Fence fence{there};
  CallContext behind = context;
  behind.fence = &fence;
  place.presence_of_many(keys, answers, behind);
  return answers;
}

}  // namespace

FollowerAudit::FollowerAudit(std::uint64_t one_in) : one_in_(one_in) {}

void FollowerAudit::take(std::span<const Key> keys) {
  if (one_in_ == 0) return;
  while (to_pass_over_ < keys.size()) {
    const Key drawn = keys[to_pass_over_];
    keys = keys.subspan(to_pass_over_ + 1);
    if (drawn.size() <= kLongestKept) keep(loose_, std::string(drawn));
    to_pass_over_ = 0;
    if (one_in_ == 1) continue;
    std::geometric_distribution<std::uint64_t> passed_over(1 / static_cast<double>(one_in_));
    to_pass_over_ = passed_over(random_);
  }
  to_pass_over_ -= keys.size();
}

void FollowerAudit::keep(std::vector<std::string>& where, std::string key) {
  if (where.size() < kMostKept) {
    where.push_back(std::move(key));
  } else {
    where[std::uniform_int_distribution<std::size_t>(0, kMostKept - 1)(random_)] = std::move(key);
  }
}

void FollowerAudit::begin(FilterPlace& place, const PlaceHead& head, const CallContext& context) {
  if (loose_.empty() || !head.watermark) return;
  try {
    const auto answers = ask_behind(*head.watermark, place, loose_, context);
    if (std::ranges::find(answers, Presence::absent) != answers.end()) forget();
  } catch (const std::exception&) {
    forget();
  }
}

void FollowerAudit::settle() {
  for (std::string& key : loose_) keep(kept_, std::move(key));
  loose_.clear();
}

void FollowerAudit::forget() {
  kept_.clear();
  loose_.clear();
  drawn_.reset();
}

std::vector<std::string> FollowerAudit::next_to_ask(const Watermark& there) {
  if (drawn_ && there.reaches(drawn_->behind)) {
    std::vector<std::string> keys = std::move(drawn_->keys);
    drawn_.reset();
    if (!keys.empty()) return keys;
  }
  if (next_ >= kept_.size()) next_ = 0;
  const auto some = std::span(kept_).subspan(next_, std::min(kAskedAtOnce, kept_.size() - next_));
  next_ += some.size();
  return {some.begin(), some.end()};
}

FollowerAudit::Answer FollowerAudit::ask(FilterPlace& place, const PlaceHead& head,
                                         const CallContext& context) {
  if (!head.watermark) return {};
  const std::vector<std::string> some = next_to_ask(*head.watermark);
  if (some.empty()) return {};
  const auto answers = ask_behind(*head.watermark, place, some, context);
  Answer answer{.asked = answers.size() - static_cast<std::uint64_t>(
                                              std::ranges::count(answers, Presence::unknown))};
  const auto denied = std::ranges::find(answers, Presence::absent);
  if (denied == answers.end()) return answer;
  const std::string& key = some[static_cast<std::size_t>(denied - answers.begin())];
  answer.is_denied = is_proven(place, head, key, context);
  return answer;
}

// Returns whether the key, which was denied, is denied once more while nobody has moved the filter
// since the follower did.
bool FollowerAudit::is_proven(FilterPlace& place, const PlaceHead& head, const std::string& key,
                              const CallContext& context) {
  return stands_at(place.head(context), head) &&
         ask_behind(*head.watermark, place, {&key, 1}, context).front() == Presence::absent &&
         stands_at(place.head(context), head);
}

}  // namespace bloomery
