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

// A call that inserts, of this process: all trips that it takes have its number.
using InsertCall = std::uint64_t;
InsertCall next_insert_call() noexcept;

// The effect of one round trip of a call on the bits of a filter.
struct InsertedBits {
  std::span<const std::uint64_t> changed{};  // from 0 to 1, as far as that is known
  std::span<const std::uint64_t> touched{};  // all that are set now
  bool repeated = false;                     // an earlier try may have changed any that it touched
};

// Nothing clears a bit of a filter, and no bitmap becomes shorter. So a few bits that were seen set
// are asked again with every question: one that is clear, or a bitmap that is shorter than it was,
// is a filter that was evicted, expired, deleted, reset or restored, and filled anew since. That is
// never forgotten. Many threads may use it.
//
// An older copy of the filter has none of the bits that later calls changed. So some of those are
// kept, of each of the last calls, and of these such as no later call touched: the copy lacks them
// still when others have repeated the later calls. The newer a call is, the more of its bits are
// asked.
class LostBits {
 public:
  // The facts about the bitmap that were known before a question was sent.
  struct Known {
    std::vector<std::uint64_t> positions{};  // of bits that were set
    std::uint64_t byte_count = 0;

    bool is_anything() const noexcept { return byte_count > 0 || !positions.empty(); }
  };

  static constexpr std::size_t kCalls = 16;         // whose bits are kept
  static constexpr std::size_t kKept = 64;          // bits of each
  static constexpr std::size_t kUnsure = 16;        // bits of a repeated call
  static constexpr std::size_t kAsked = 4;          // of a new call; of older ones fewer
  static constexpr std::size_t kAskedByReader = 4;  // by a place that has not inserted

  Known known();
  // Why the filter is not the one it was; nothing where it is. Only of results without doubt.
  std::optional<std::string> judge(const Known& known, const TransactionResult& result);
  // Notes bits that are set: some that were read, or those that a round trip of `call` has set.
  void learn(std::span<const std::uint64_t> positions);
  void learn(InsertCall call, const InsertedBits& bits);

  std::optional<std::string> verdict();

 private:
  struct Call {
    InsertCall number = 0;
    std::vector<std::uint64_t> bits{};  // any of those that it changed, with the same chance
    std::uint64_t count = 0;            // of those that it changed
    // Bits any of which it may have changed.
    std::vector<std::uint64_t> unsure{};
    std::vector<std::uint64_t> last{};  // of its last trip, where it had several
  };

  Call& call_of(InsertCall number);
  void forget_touched(InsertCall by, std::span<const std::uint64_t> touched);

  ForkMutex mutex_;
  Witnesses<std::uint64_t> witnesses_;
  std::deque<Call> calls_{};  // the newest last
  std::minstd_rand random_{std::random_device()()};
  std::uint64_t byte_count_ = 0;
  std::optional<std::string> verdict_;
};

}  // namespace bloomery::redis
