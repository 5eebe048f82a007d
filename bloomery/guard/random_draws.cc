// SPDX-License-Identifier: Apache-2.0
#include "bloomery/guard/random_draws.h"

#include <algorithm>
#include <cmath>

#include "bloomery/hash/integer_hash.h"

namespace bloomery {
namespace {

// SplitMix64 of a thread's own counter, evenly in (0, 1]. Nobody gains by guessing it.
double thread_random() noexcept {
  constinit thread_local std::uint64_t state = 0;
  state += IntegerHash::kOffset;
  return static_cast<double>((IntegerHash::hash(state, 0).h1 >> 11) + 1) * 0x1p-53;
}

}  // namespace

RandomDraws::RandomDraws(std::uint64_t one_in) noexcept
    : one_in_(one_in),
      log_passed_over_(one_in < 2 ? 0 : std::log1p(-1 / static_cast<double>(one_in))) {}

bool RandomDraws::draw(std::atomic<std::uint64_t>& left, std::uint64_t count) noexcept {
  if (one_in_ < 2) return one_in_ == 1;
  bool drawn = count == 1;
  std::uint64_t next = distance();
  if (count == 0) {  // counted from the one before this: it is this one's turn
    drawn = next == 1;
    next = drawn ? distance() : next - 1;
  }
  left.store(next, std::memory_order_relaxed);
  return drawn;
}

// How many ones it takes until one is drawn: the geometric distribution.
std::uint64_t RandomDraws::distance() const noexcept {
  const double passed_over = std::floor(std::log(thread_random()) / log_passed_over_);
  return 1 + static_cast<std::uint64_t>(std::min(passed_over, 0x1p62));
}

}  // namespace bloomery
