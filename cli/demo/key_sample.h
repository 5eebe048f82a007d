// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/hash/key.h"

namespace bloomery::cli {

// Draws up to `capacity` keys of a stream whose end is not known, each with the same chance
// (Vitter's algorithm R). Keys longer than kMostKeyBytes are left out, so that the memory is
// bounded. The same seed and stream give the same sample.
class KeySample {
 public:
  static constexpr std::size_t kMostKeyBytes = 1024;

  KeySample(std::size_t capacity, std::uint64_t seed) : capacity_(capacity), random_(seed) {}

  void add(Key key) {
    if (key.size() > kMostKeyBytes) return;
    ++seen_;
    if (keys_.size() < capacity_) {
      keys_.emplace_back(key);
    } else if (const std::uint64_t place = random_() % seen_; place < capacity_) {
      keys_[place] = key;
    }
  }

  // The sample in random order.
  std::vector<std::string> take() && {
    std::ranges::shuffle(keys_, random_);
    return std::move(keys_);
  }

 private:
  std::size_t capacity_;
  std::mt19937_64 random_;
  std::uint64_t seen_ = 0;
  std::vector<std::string> keys_;
};

}  // namespace bloomery::cli
