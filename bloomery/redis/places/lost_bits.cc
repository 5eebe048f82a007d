// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/lost_bits.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>

namespace bloomery::redis {
namespace {

// A call so many calls ago. What is lost is the end of what was written: the newest always, and
// then there are several older ones to tell of it.
std::size_t asked_of(std::size_t age) {
  constexpr std::size_t kNew = 4;
  return std::max<std::size_t>(1, LostBits::kAsked >> age / kNew);
}

void append(std::vector<std::uint64_t>& all, std::span<const std::uint64_t> more) {
  all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

InsertCall next_insert_call() noexcept {
  static std::atomic<InsertCall> last = 0;
  return ++last;
}

LostBits::Known LostBits::known() {
  const std::lock_guard lock(mutex_);
  Known known{.byte_count = byte_count_};
  witnesses_.append_to(known.positions);
  for (std::size_t age = 0; age < calls_.size(); ++age) {
    const Call& call = calls_[calls_.size() - 1 - age];
    std::ranges::sample(call.bits, std::back_inserter(known.positions),
                        static_cast<std::ptrdiff_t>(asked_of(age)), random_);
    append(known.positions, call.unsure);
    if (age == 0) append(known.positions, call.last);
  }
  return known;
}

std::optional<std::string> LostBits::judge(const Known& known, const TransactionResult& result) {
  const std::lock_guard lock(mutex_);
  if (verdict_) return verdict_;
  if (result.byte_count < known.byte_count) {
    verdict_ = "its bitmap has become shorter: it is not the one that was opened";
  } else if (std::ranges::find(result.known_bits, false) != result.known_bits.end()) {
    verdict_ = "bits of it are gone that were set: it is not the one that was opened";
  }
  byte_count_ = std::max(byte_count_, result.byte_count);
  return verdict_;
}

void LostBits::learn(std::span<const std::uint64_t> positions) {
  if (positions.empty()) return;
  const std::lock_guard lock(mutex_);
  witnesses_.learn(positions, false);
}

void LostBits::learn(InsertCall number, const InsertedBits& bits) {
  if (bits.touched.empty()) return;
  const std::lock_guard lock(mutex_);
  forget_touched(number, bits.touched);
  if (bits.changed.empty() && !bits.repeated) {
    // The bits were all set before, by others.
    witnesses_.learn(bits.touched, true);
    return;
  }
  Call& call = call_of(number);
  call.last.clear();
  if (call.count > 0) {
    std::ranges::sample(bits.changed, std::back_inserter(call.last), kAsked, random_);
  }
  for (const std::uint64_t position : bits.changed) {
    ++call.count;
    if (call.bits.size() < kKept) {
      call.bits.push_back(position);
    } else if (const std::uint64_t at = random_() % call.count; at < kKept) {
      call.bits[at] = position;
    }
  }
  if (!bits.repeated) return;
  call.unsure.clear();
  std::ranges::sample(bits.touched, std::back_inserter(call.unsure), kUnsure, random_);
}

LostBits::Call& LostBits::call_of(InsertCall number) {
  const auto found = std::ranges::find(calls_, number, &Call::number);
  if (found != calls_.end()) {
    std::rotate(found, found + 1, calls_.end());
    return calls_.back();
  }
  if (calls_.size() == kCalls) {
    const Call& oldest = calls_.front();
    const auto& bits = oldest.bits.empty() ? oldest.unsure : oldest.bits;
    if (!bits.empty()) witnesses_.learn(std::span<const std::uint64_t>(bits), false);
    calls_.pop_front();
  }
  return calls_.emplace_back(Call{.number = number});
}

// One is left where it touched all.
void LostBits::forget_touched(InsertCall by, std::span<const std::uint64_t> touched) {
  std::vector<std::uint64_t> sorted(touched.begin(), touched.end());
  std::ranges::sort(sorted);
  for (Call& call : calls_) {
    if (call.number == by) continue;
    std::vector<std::uint64_t> left;
    std::ranges::copy_if(call.bits, std::back_inserter(left), [&](std::uint64_t each) {
      return !std::ranges::binary_search(sorted, each);
    });
    if (!left.empty()) call.bits = std::move(left);
  }
}

std::optional<std::string> LostBits::verdict() {
  const std::lock_guard lock(mutex_);
  return verdict_;
}

}  // namespace bloomery::redis
