// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "bloomery/bits/fork_mutex.h"
#include "bloomery/redis/places/bitmap_transaction.h"
#include "bloomery/redis/places/witnesses.h"

namespace bloomery::redis {

// Nothing clears a bit of a filter, and no bitmap becomes shorter. So a few bits that were seen set
// are asked again with every question: one that is clear, or a bitmap that is shorter than it was,
// is a filter that was evicted, expired, deleted, reset or restored, and filled anew since. That is
// never forgotten. Many threads may use it.
class LostBits {
 public:
  // What was known before a question was sent.
  struct Known {
    std::vector<std::uint64_t> positions{};  // of bits that were set
    std::uint64_t byte_count = 0;

    bool is_anything() const noexcept { return byte_count > 0 || !positions.empty(); }
  };

  Known known();
  // Why the filter is not the one it was; nothing where it is. Only of results without doubt.
  std::optional<std::string> judge(const Known& known, const TransactionResult& result);
  // Of bits that are set. `are_new`: this place has just set them.
  void learn(std::span<const std::uint64_t> positions, bool are_new);
  // Bits that one call of this place changed from 0 to 1: an older copy has none of them. Keeps up
  // to kEach of them, and of each of the last kCalls such calls.
  void learn_changed(std::span<const std::uint64_t> positions);
  // Bits of which that call changed at least one, nobody knows which: keeps them all.
  void learn_changed_among(std::span<const std::uint64_t> positions);

  static constexpr std::size_t kCalls = 4;
  static constexpr std::size_t kEach = 4;

  std::optional<std::string> verdict();

 private:
  ForkMutex mutex_;
  void keep(std::vector<std::uint64_t> changed);

  Witnesses<std::uint64_t> witnesses_;
  std::deque<std::vector<std::uint64_t>> changed_{};  // of a call each, the newest last
  std::minstd_rand random_{std::random_device()()};
  std::uint64_t byte_count_ = 0;
  std::optional<std::string> verdict_;
};

}  // namespace bloomery::redis
