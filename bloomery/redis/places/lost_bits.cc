// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/lost_bits.h"

#include <algorithm>

namespace bloomery::redis {

LostBits::Known LostBits::known() {
  const std::lock_guard lock(mutex_);
  Known known{.byte_count = byte_count_};
  witnesses_.append_to(known.positions);
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

std::optional<std::string> LostBits::verdict() {
  const std::lock_guard lock(mutex_);
  return verdict_;
}

}  // namespace bloomery::redis
