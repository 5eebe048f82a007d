// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/bits/bit_ops.h"

namespace bloomery {

// Bits a counter of a counting filter takes; sixteen stand in a word, position p in word p / 16 at
// bit 4 (p mod 16).
inline constexpr std::uint32_t kCounterBits = 4;

// The lowest bit of each of sixteen counters that is not zero.
inline constexpr std::uint64_t lowest_bits_of_occupied(std::uint64_t word) noexcept {
  word |= word >> 1;
  return (word | (word >> 2)) & 0x1111111111111111;
}

// Sixteen counters as sixteen bits: those that are not zero.
inline constexpr std::uint64_t occupied_counters(std::uint64_t word) noexcept {
  word = lowest_bits_of_occupied(word);
  word = (word | (word >> 3)) & 0x0303030303030303;
  word = (word | (word >> 6)) & 0x000f000f000f000f;
  word = (word | (word >> 12)) & 0x000000ff000000ff;
  return (word | (word >> 24)) & 0xffff;
}

// The positions of a filter as bits, whether they are bits or counters: a counter counts as a set
// bit while it is not zero. Owns nothing.
class BitView {
 public:
  BitView(std::span<const std::uint64_t> words, std::uint32_t cell_bits = 1) noexcept
      : words_(words), cell_bits_(cell_bits) {}

  // Words of 64 positions.
  std::size_t size() const noexcept { return words_.size() / cell_bits_; }
  std::uint64_t operator[](std::size_t i) const noexcept {
    if (cell_bits_ == 1) return load_word(&words_[i]);
    std::uint64_t bits = 0;
    for (std::size_t part = 0; part < kCounterBits; ++part) {
      bits |= occupied_counters(load_word(&words_[kCounterBits * i + part])) << (16 * part);
    }
    return bits;
  }

  bool test(std::uint64_t position) const noexcept {
    return ((*this)[position / kWordBits] & bit_mask(position)) != 0;
  }

  BitView subview(std::size_t first, std::size_t count) const noexcept {
    return {words_.subspan(first * cell_bits_, count * cell_bits_), cell_bits_};
  }

  std::uint64_t count_ones() const noexcept {
    std::uint64_t ones = 0;
    if (cell_bits_ == kCounterBits) {
      // In any order, four words of counters are 64 bits.
      for (std::size_t i = 0; i < size() * kCounterBits; i += kCounterBits) {
        std::uint64_t bits = 0;
        for (std::size_t part = 0; part < kCounterBits; ++part) {
          bits |= lowest_bits_of_occupied(load_word(&words_[i + part])) << part;
        }
        ones += static_cast<std::uint64_t>(std::popcount(bits));
      }
      return ones;
    }
    for (std::size_t i = 0; i < size(); ++i) {
      ones += static_cast<std::uint64_t>(std::popcount((*this)[i]));
    }
    return ones;
  }

 private:
  std::span<const std::uint64_t> words_;
  std::uint32_t cell_bits_;
};

}  // namespace bloomery
