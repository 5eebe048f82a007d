// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>

namespace bloomery::redis {

// Confirmation: whether what a primary answers counts. A primary that was frozen, or cut off from
// those who replace it, may have been replaced and not know it. So somebody else is asked who the
// primary is, when an answer ends a silence, and twice a second. One thread at a time.
class Confirmation {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Notes that the primary has just answered, and returns whether somebody else has to be asked
  // now.
  bool is_due(Time now) {
    if (now - heard_at_ > kSilence) silence_ended_at_ = now;
    heard_at_ = now;
    const auto age = now - confirmed_at_;
    if (confirmed_at_ < silence_ended_at_ || age > 2 * kEvery) return true;
    // While one asks, the others go on.
    if (age <= kEvery || now - last_asker_at_ <= kEvery) return false;
    last_asker_at_ = now;
    return true;
  }

  // Somebody else has named it, when he was asked at that time.
  void confirm(Time asked_at) {
    confirmed_at_ = std::max(confirmed_at_, asked_at);
    if (heard_at_ == Time{}) heard_at_ = asked_at;
  }

 private:
  // Shorter than what sentinels and clusters wait before they replace a primary.
  static constexpr std::chrono::milliseconds kSilence{200};
  static constexpr std::chrono::milliseconds kEvery{500};

  Time heard_at_{};          // when it answered last
  Time silence_ended_at_{};  // with an answer
  Time confirmed_at_{};      // when the question was asked to which it was the answer
  Time last_asker_at_{};     // when somebody began to ask for that
};

}  // namespace bloomery::redis
