// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "bloomery/bits/as_type.h"
#include "bloomery/hash/hash_pair.h"

namespace bloomery {

// A binary fuse filter: Graf and Lemire 2022, "Binary Fuse Filters: Fast and Smaller Than Xor
// Filters". An array of slots, each a number of `fingerprint_bits` bits, in segments of
// 2^segment_log slots. A key has a slot in each of three segments that follow each other, and is in
// the set when the exclusive or of the three is its fingerprint. So it is found by chance with
// 2^-fingerprint_bits, however many keys there are.
//
//   first slot    h1 maps to one of all slots but those of the last two segments (fast_range)
//   second, third that segment's next and the one after; which slot there, say the low and the high
//                 half of h2
//   fingerprint   the low bits of h1
struct FuseShape {
  static constexpr std::uint32_t kArity = 3;
  static constexpr std::uint32_t kMaxFingerprintBits = 32;
  // `kMinSegmentLog`: from 64 slots on a segment is never less than the 63 bits that whole words
  // may add.
  static constexpr std::uint32_t kMinSegmentLog = 6;
  static constexpr std::uint32_t kMaxSegmentLog = 18;

  std::uint32_t fingerprint_bits = 0;
  std::uint32_t segment_log = 0;
  std::uint64_t segment_count = 0;

  using Slots = std::array<std::size_t, kArity>;

  // Returns the shape of a filter of `bit_count` bits: whole segments. Bits that are left over
  // belong to none.
  static constexpr FuseShape of_bits(std::uint64_t bit_count, std::uint32_t fingerprint_bits,
                                     std::uint32_t segment_log) noexcept {
    return {fingerprint_bits, segment_log, (bit_count / fingerprint_bits) >> segment_log};
  }

  [[gnu::always_inline]] constexpr std::uint64_t slot_count() const noexcept {
    return segment_count << segment_log;
  }
  constexpr std::uint64_t bit_count() const noexcept { return slot_count() * fingerprint_bits; }

  [[gnu::always_inline]] constexpr Slots slots(HashPair hash) const noexcept {
    const std::uint64_t length = std::uint64_t{1} << segment_log;
    const std::uint64_t first = fast_range(hash.h1, slot_count() - (kArity - 1) * length);
    const std::uint64_t segment = first & ~(length - 1);
    return {as_type<std::size_t>(first),
            as_type<std::size_t>((segment + length) | (hash.h2 & (length - 1))),
            as_type<std::size_t>((segment + 2 * length) | ((hash.h2 >> 32) & (length - 1)))};
  }

  [[gnu::always_inline]] constexpr std::uint64_t first_bit(std::size_t slot) const noexcept {
    return as_type<std::uint64_t>(slot) * fingerprint_bits;
  }
  [[gnu::always_inline]] constexpr std::uint64_t mask() const noexcept {
    return (std::uint64_t{1} << fingerprint_bits) - 1;
  }
  [[gnu::always_inline]] constexpr std::uint64_t fingerprint(HashPair hash) const noexcept {
    return hash.h1 & mask();
  }

  // Bit i is bit i mod 8 of byte i / 8. Touches up to seven bytes behind the slot.
  [[gnu::always_inline]] std::uint64_t load(const std::byte* bytes,
                                            std::size_t slot) const noexcept {
    const std::uint64_t bit = first_bit(slot);
    std::uint64_t word;
    std::memcpy(&word, bytes + bit / 8, sizeof word);
    return (word >> (bit % 8)) & mask();
  }
  // Stores a value into a slot of zeros.
  void store(std::byte* bytes, std::size_t slot, std::uint64_t value) const noexcept {
    const std::uint64_t bit = first_bit(slot);
    std::uint64_t word;
    std::memcpy(&word, bytes + bit / 8, sizeof word);
    word |= value << (bit % 8);
    std::memcpy(bytes + bit / 8, &word, sizeof word);
  }

  [[gnu::always_inline]] bool contains(const std::byte* bytes, HashPair hash) const noexcept {
    const Slots at = slots(hash);
    return (load(bytes, at[0]) ^ load(bytes, at[1]) ^ load(bytes, at[2])) == fingerprint(hash);
  }
};

}  // namespace bloomery
