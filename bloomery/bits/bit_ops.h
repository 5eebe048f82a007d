// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <span>

#include "bloomery/bits/bit_storage.h"

// Single bits of an array of words: bit i is bit (i mod 64), counted from the least significant, of
// word i / 64.
namespace bloomery {

inline constexpr std::uint64_t bit_mask(std::uint64_t bit) noexcept {
  return std::uint64_t{1} << (bit % kWordBits);
}

// Readers may run beside set_bit_atomically, so words are loaded as one relaxed access: a plain
// load on every machine we know, and no data race in the language's eyes.
inline std::uint64_t load_word(const std::uint64_t* word) noexcept {
  return __atomic_load_n(word, __ATOMIC_RELAXED);
}

inline bool test_bit(std::span<const std::uint64_t> words, std::uint64_t bit) noexcept {
  return (load_word(&words[bit / kWordBits]) & bit_mask(bit)) != 0;
}

// Sets the bit; true where it was clear.
inline bool set_bit(std::span<std::uint64_t> words, std::uint64_t bit) noexcept {
  std::uint64_t& word = words[bit / kWordBits];
  const bool clear = (word & bit_mask(bit)) == 0;
  word |= bit_mask(bit);
  return clear;
}

// Sets the bits of `mask`, losing none that another thread sets; true where one of them was clear.
// Release, so that who learns of an insert by other means also sees its bits.
inline bool set_mask_atomically(std::uint64_t& word, std::uint64_t mask) noexcept {
  if ((load_word(&word) & mask) == mask) return false;
  return (std::atomic_ref(word).fetch_or(mask, std::memory_order_release) & mask) != mask;
}

// Sets in `words` what is set in `others`, which are as many.
inline void merge_bits(std::span<std::uint64_t> words,
                       std::span<const std::uint64_t> others) noexcept {
  for (std::size_t i = 0; i < words.size(); ++i) words[i] |= others[i];
}

}  // namespace bloomery
