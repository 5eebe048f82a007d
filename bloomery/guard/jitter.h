// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

namespace bloomery {

// Spreads expiries: a ttl times a factor drawn evenly from [1 - fraction, 1 + fraction]. The same
// seed draws the same factors. All calls may run together, without a lock.
class Jitter {
 public:
  // Draws a seed if none is given: processes that share a cache must not expire in step.
  Jitter(double fraction, std::optional<std::uint64_t> seed);

  // Returns a time to live near `ttl`, at least one millisecond.
  std::chrono::milliseconds operator()(std::chrono::milliseconds ttl) noexcept;

 private:
  double fraction_;
  std::atomic<std::uint64_t> state_;
};

}  // namespace bloomery
