// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/lost_bits.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace bloomery::redis {

LostBits::Known LostBits::known() {
  const std::lock_guard lock(mutex_);
  Known known{.byte_count = byte_count_};
  witnesses_.append_to(known.positions);
  for (const auto& call : changed_) {
    known.positions.insert(known.positions.end(), call.begin(), call.end());
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

void LostBits::learn(std::span<const std::uint64_t> positions, bool are_new) {
  if (positions.empty()) return;
  const std::lock_guard lock(mutex_);
  witnesses_.learn(positions, are_new);
}

void LostBits::learn_changed(std::span<const std::uint64_t> positions) {
  if (positions.empty()) return;
  const std::lock_guard lock(mutex_);
  std::vector<std::uint64_t> some;
  std::ranges::sample(positions, std::back_inserter(some), kEach, random_);
  keep(std::move(some));
}

void LostBits::learn_changed_among(std::span<const std::uint64_t> positions) {
  if (positions.empty()) return;
  const std::lock_guard lock(mutex_);
  keep({positions.begin(), positions.end()});
}

void LostBits::keep(std::vector<std::uint64_t> changed) {
  changed_.push_back(std::move(changed));
  if (changed_.size() <= kCalls) return;
  witnesses_.learn(std::span<const std::uint64_t>(changed_.front()), false);
  changed_.pop_front();
}

std::optional<std::string> LostBits::verdict() {
  const std::lock_guard lock(mutex_);
  return verdict_;
}

}  // namespace bloomery::redis
