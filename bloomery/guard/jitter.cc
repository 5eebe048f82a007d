// SPDX-License-Identifier: Apache-2.0
#include "bloomery/guard/jitter.h"

#include <algorithm>
#include <random>

#include "bloomery/hash/integer_hash.h"

namespace bloomery {
namespace {

std::uint64_t random_seed() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

}  // namespace

Jitter::Jitter(double fraction, std::optional<std::uint64_t> seed)
    : fraction_(fraction), state_(seed ? *seed : random_seed()) {}

std::chrono::milliseconds Jitter::operator()(std::chrono::milliseconds ttl) noexcept {
  // SplitMix64: a counter that steps by kOffset, mixed.
  const std::uint64_t step = state_.fetch_add(IntegerHash::kOffset, std::memory_order_relaxed);
  const double unit = static_cast<double>(IntegerHash::hash(step, 0).h1 >> 11) * 0x1p-53;
  const double factor = 1 + fraction_ * (2 * unit - 1);
  const std::chrono::duration<double, std::milli> drawn(static_cast<double>(ttl.count()) * factor);
  return std::max(std::chrono::milliseconds(1),
                  std::chrono::round<std::chrono::milliseconds>(drawn));
}

}  // namespace bloomery
