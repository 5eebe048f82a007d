// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace bloomery::redis {

// A few of what was seen in a filter: of what this place has put in itself the newest, which a
// failover loses first, and of the rest any, each of them with the same chance. One thread at a
// time.
template <class T>
class Witnesses {
 public:
  static constexpr std::size_t kEach = 4;

  explicit Witnesses(std::uint32_t seed = std::random_device()()) : random_(seed) {}

  // One of `seen`, which are some; `are_new`: this place has just put them in.
  template <class Seen>
  void learn(std::span<const Seen> seen, bool are_new) {
    T one(seen[random_() % seen.size()]);
    std::vector<T>& kept = are_new ? newest_ : others_;
    std::uint64_t& count = are_new ? new_count_ : other_count_;
    const std::uint64_t number = count++;
    if (kept.size() < kEach) {
      kept.push_back(std::move(one));
    } else if (const std::uint64_t at = are_new ? number % kEach : random_() % count; at < kEach) {
      kept[at] = std::move(one);
    }
  }

  void append_to(std::vector<T>& all) const {
    all.insert(all.end(), newest_.begin(), newest_.end());
    all.insert(all.end(), others_.begin(), others_.end());
  }

 private:
  std::vector<T> newest_{};
  std::vector<T> others_{};
  std::uint64_t new_count_ = 0;
  std::uint64_t other_count_ = 0;
  std::minstd_rand random_;
};

}  // namespace bloomery::redis
