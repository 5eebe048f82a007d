// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "bloomery/bits/bit_view.h"

// Single counters of an array of words, as bit_view.h places them. A counter that reached
// kCounterMax stays there for ever: how often it was raised beyond is not known.
namespace bloomery {

inline constexpr std::uint64_t kCounterMax = 15;
inline constexpr std::uint64_t kCountersPerWord = kWordBits / kCounterBits;

inline constexpr std::uint32_t counter_shift(std::uint64_t position) noexcept {
  return static_cast<std::uint32_t>(position % kCountersPerWord) * kCounterBits;
}

inline std::uint64_t counter(std::span<const std::uint64_t> words,
                             std::uint64_t position) noexcept {
  return (load_word(&words[position / kCountersPerWord]) >> counter_shift(position)) & kCounterMax;
}

// Returns what the counter was.
inline std::uint64_t raise_counter(std::span<std::uint64_t> words,
                                   std::uint64_t position) noexcept {
  const std::uint64_t before = counter(words, position);
  if (before < kCounterMax) {
    words[position / kCountersPerWord] += std::uint64_t{1} << counter_shift(position);
  }
  return before;
}

// Raises a counter as raise_counter() does, atomically: no raise of another thread is lost.
inline std::uint64_t raise_counter_atomically(std::span<std::uint64_t> words,
                                              std::uint64_t position) noexcept {
  const std::atomic_ref word(words[position / kCountersPerWord]);
  const std::uint64_t one = std::uint64_t{1} << counter_shift(position);
  std::uint64_t seen = word.load(std::memory_order_relaxed);
  for (;;) {
    const std::uint64_t before = (seen >> counter_shift(position)) & kCounterMax;
    if (before == kCounterMax) return before;
    if (word.compare_exchange_weak(seen, seen + one, std::memory_order_release,
                                   std::memory_order_relaxed)) {
      return before;
    }
  }
}

// Takes one from a counter that is not zero, and returns its value afterwards.
inline std::uint64_t lower_counter(std::span<std::uint64_t> words,
                                   std::uint64_t position) noexcept {
  const std::uint64_t before = counter(words, position);
  if (before == kCounterMax) return before;
  words[position / kCountersPerWord] -= std::uint64_t{1} << counter_shift(position);
  return before - 1;
}

// Sixteen sums, none above kCounterMax.
inline constexpr std::uint64_t add_counters(std::uint64_t a, std::uint64_t b) noexcept {
  // Every other counter, with room for a sum's fifth bit above it.
  constexpr std::uint64_t kEveryOther = 0x0f0f0f0f0f0f0f0f;
  const auto add = [](std::uint64_t some, std::uint64_t others) {
    const std::uint64_t sums = (some & kEveryOther) + (others & kEveryOther);
    const std::uint64_t beyond = sums & ~kEveryOther;
    return (sums | (beyond - (beyond >> kCounterBits))) & kEveryOther;
  };
  return add(a, b) | add(a >> kCounterBits, b >> kCounterBits) << kCounterBits;
}

}  // namespace bloomery
