// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "bloomery/hash/hash_pair.h"
#include "bloomery/hash/key.h"

namespace bloomery {

// The halves of a 128-bit product.
struct WideProduct {
  std::uint64_t low;
  std::uint64_t high;

  [[gnu::always_inline]] static constexpr WideProduct of(std::uint64_t a,
                                                         std::uint64_t b) noexcept {
#if defined(__BMI2__) && defined(__GNUC__) && !defined(__clang__)
    // g++ 12 stores the halves of an __int128 to the stack in loops of inlined calls.
    if (!std::is_constant_evaluated()) {
      WideProduct product;
      __asm__("mulx %3, %0, %1" : "=r"(product.low), "=r"(product.high) : "d"(a), "rm"(b));
      return product;
    }
#endif
    const Uint128 product = Uint128{a} * b;
    return {static_cast<std::uint64_t>(product), static_cast<std::uint64_t>(product >> 64)};
  }
};

// The upper half of a 128-bit product.
[[gnu::always_inline]] inline constexpr std::uint64_t upper_product(std::uint64_t a,
                                                                    std::uint64_t b) noexcept {
#if defined(__BMI2__) && defined(__GNUC__) && !defined(__clang__)
  // One instruction into one register, as in WideProduct; g++ 12 makes a move and MUL.
  if (!std::is_constant_evaluated()) {
    std::uint64_t upper;
    __asm__("mulx %2, %0, %0" : "=r"(upper) : "d"(a), "rm"(b));
    return upper;
  }
#endif
  return fast_range(a, b);
}

// The native hash of an eight-byte key for programs that ask one key a call: two 128-bit products,
// the first folded, the halves of the second being h1 and h2. IntegerHash takes four products in a
// chain with the line's, which is what a single call waits for; eight keys at a time in vector
// registers it is the cheaper one.
//
// Bits 58 to 63 of h2 are not uniform, as kSecond is below 2^64: layouts that read them must not
// use it. Blocked filters read bits 0 to 50.
//
// Part of the stored data: never change it, add another HashId.
struct FoldHash {
  static constexpr std::uint64_t kFirst = 0x9e3779b97f4a7c15;
  static constexpr std::uint64_t kSecond = 0xd6e8feb86659fd93;

  // `spread` is IntegerHash::spread_seed() of the seed.
  [[gnu::always_inline]] static constexpr HashPair hash(std::uint64_t key,
                                                        std::uint64_t spread) noexcept {
    const WideProduct first = WideProduct::of(key ^ spread, kFirst);
    const WideProduct second = WideProduct::of(first.low ^ first.high, kSecond);
    return {second.low, second.high};
  }

  // Replaces the pairs of those of `count` keys that have eight bytes.
  [[gnu::always_inline]] static void replace_eight_byte_keys(const Key* keys, std::size_t count,
                                                             std::uint64_t spread,
                                                             std::uint64_t* h1,
                                                             std::uint64_t* h2) noexcept {
    for (std::size_t j = 0; j < count; ++j) {
      if (keys[j].size() != sizeof(std::uint64_t)) [[likely]]
        continue;
      std::uint64_t integer;
      std::memcpy(&integer, keys[j].data(), sizeof(integer));
      const HashPair pair = hash(integer, spread);
      h1[j] = pair.h1;
      h2[j] = pair.h2;
    }
  }
};

}  // namespace bloomery
