// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "bloomery/hash/keys_avx512.h"
#include "bloomery/hash/product_hash.h"
#include "bloomery/hash/product_words_avx512.h"

namespace bloomery {

// ProductHash of eight keys at once, the i-th word of each in a register, for files that are
// compiled for AVX-512 with IFMA and VBMI. `Tag` is a type of such a file's own and keeps this to
// it.
template <class Tag>
class ProductOfEight {
  static constexpr std::size_t kWord = ProductHash::kWord;
  static constexpr std::size_t kBlock = ProductHash::kBlock;
  using Any = AnyEightKeys<Tag>;
  using Long = LongEightKeys<Tag>;

 public:
  // Hashes a block as product_hash_block() does, of keys of any length.
  static void hash_any(const Key* keys, std::size_t count, std::uint64_t spread, std::uint64_t* h1,
                       std::uint64_t* h2) noexcept {
    const auto hash_alone = [&](std::size_t i) { hash_one(i, keys, spread, h1, h2); };
    const auto hash_each = [&] {
      for (std::size_t i = 0; i < count; ++i) hash_alone(i);
    };
    if (count < kProductBlock) return hash_each();
    const __m512i sizes = sizes_of(keys);
    // Integers have another hash, and eight at once take as long as the longest.
    unsigned alone = _mm512_cmpeq_epi64_mask(sizes, all(kWord)) |
                     _mm512_cmpgt_epu64_mask(sizes, all(2 * kBlock));
    if (__builtin_popcount(alone) > 2) return hash_each();
    const bool all_long = _mm512_cmplt_epu64_mask(sizes, all(Long::kLeast)) == 0;
    finish(all_long ? sums_of<Long>(keys, sizes, spread) : sums_of<Any>(keys, sizes, spread), h1,
           h2);
    for (; alone != 0; alone &= alone - 1) hash_alone(static_cast<unsigned>(__builtin_ctz(alone)));
  }

  // Hashes a block as hash_any() does, inlined, for eight keys that are likely neither short nor
  // very long.
  [[gnu::always_inline]] static void hash_block(const Key* keys, std::size_t count,
                                                std::uint64_t spread, std::uint64_t* h1,
                                                std::uint64_t* h2) noexcept {
    if (count == kProductBlock) [[likely]] {
      const __m512i sizes = sizes_of(keys);
      const __m512i beyond = _mm512_sub_epi64(sizes, all(Long::kLeast));
      if (_mm512_cmpgt_epu64_mask(beyond, all(2 * kBlock - Long::kLeast)) == 0) [[likely]] {
        return finish(sums_of<Long>(keys, sizes, spread), h1, h2);
      }
    }
    hash_any(keys, count, spread, h1, h2);
  }

 private:
  static void hash_one(std::size_t i, const Key* keys, std::uint64_t spread, std::uint64_t* h1,
                       std::uint64_t* h2) noexcept {
    const HashPair pair = ProductHash::hash_key(keys[i], spread);
    h1[i] = pair.h1;
    h2[i] = pair.h2;
  }

  [[gnu::always_inline]] static __m512i all(std::uint64_t word) {
    return _mm512_set1_epi64(static_cast<std::int64_t>(word));
  }

  // Eight numbers of 128 bits.
  struct Sums {
    __m512i low;
    __m512i high;
  };

  // Makes each product of four products of halves: no other multiplication here keeps its upper
  // half. What is added to a product of halves cannot overflow: it has room for two numbers of 32
  // bits.
  [[gnu::always_inline]] static Sums product(__m512i a, __m512i b) {
    const __m512i upper_a = _mm512_srli_epi64(a, 32);
    const __m512i upper_b = _mm512_srli_epi64(b, 32);
    const __m512i lowest = _mm512_mul_epu32(a, b);
    const __m512i first =
        _mm512_add_epi64(_mm512_mul_epu32(upper_a, b), _mm512_srli_epi64(lowest, 32));
    const __m512i second =
        _mm512_add_epi64(_mm512_mul_epu32(a, upper_b), _mm512_and_si512(first, all(0xffffffff)));
    const __m512i carried =
        _mm512_add_epi64(_mm512_srli_epi64(first, 32), _mm512_srli_epi64(second, 32));
    constexpr __mmask16 kUpper = 0xaaaa;
    return {_mm512_mask_shuffle_epi32(lowest, kUpper, second, _MM_PERM_CCAA),
            _mm512_add_epi64(_mm512_mul_epu32(upper_a, upper_b), carried)};
  }

  // Sums of products, in digits of 52 bits, as AVX-512 IFMA multiplies them: of three products none
  // overflows. What is added to one digit has several sums, which need not wait for each other.
  struct Digits {
    __m512i low;
    __m512i middle[3];
    __m512i high[2];

    [[gnu::always_inline]] void add_product(__m512i a, __m512i b) {
      const __m512i upper_a = _mm512_srli_epi64(a, 52);
      const __m512i upper_b = _mm512_srli_epi64(b, 52);
      low = _mm512_madd52lo_epu64(low, a, b);
      middle[0] = _mm512_madd52hi_epu64(middle[0], a, b);
      middle[1] = _mm512_madd52lo_epu64(middle[1], upper_a, b);
      middle[2] = _mm512_madd52lo_epu64(middle[2], a, upper_b);
      high[0] = _mm512_madd52hi_epu64(high[0], upper_a, b);
      high[1] = _mm512_madd52hi_epu64(high[1], a, upper_b);
      high[0] = _mm512_madd52lo_epu64(high[0], upper_a, upper_b);
    }

    [[gnu::always_inline]] Sums sums() const {
      const __m512i middles = _mm512_add_epi64(_mm512_add_epi64(middle[0], middle[1]), middle[2]);
      const __m512i sum = _mm512_add_epi64(low, _mm512_slli_epi64(middles, 52));
      const __m512i upper =
          _mm512_add_epi64(_mm512_srli_epi64(middles, 12),
                           _mm512_slli_epi64(_mm512_add_epi64(high[0], high[1]), 40));
      const __mmask8 carries = _mm512_cmplt_epu64_mask(sum, low);
      return {sum, _mm512_mask_add_epi64(upper, carries, upper, all(1))};
    }
  };

  [[gnu::always_inline]] static Sums add_words(Sums state, const WordsOfEight& of) {
    const auto factor = [&](std::size_t i) __attribute__((always_inline)) {
      return _mm512_xor_si512(of.words[i], all(ProductKeys::kWords[i]));
    };
    Digits digits{};
    digits.add_product(_mm512_xor_si512(factor(0), state.low), factor(1));
    digits.add_product(_mm512_xor_si512(factor(2), state.high), factor(3));
    digits.add_product(factor(4), factor(5));
    return digits.sums();
  }

  // With what the two halves of a product come to.
  [[gnu::always_inline]] static __m512i with_fold(__m512i word, __m512i a, std::uint64_t b) {
    constexpr int kXor = 0x96;
    const Sums of = product(a, all(b));
    return _mm512_ternarylogic_epi64(word, of.low, of.high, kXor);
  }

  [[gnu::always_inline]] static void finish(Sums state, std::uint64_t* h1, std::uint64_t* h2) {
    const __m512i high = with_fold(state.high, state.low, ProductKeys::kFirst);
    const __m512i first = with_fold(state.low, high, ProductKeys::kSecond);
    _mm512_store_si512(h1, first);
    _mm512_store_si512(h2, with_fold(high, first, ProductKeys::kFirst));
  }

  template <class Keys>
  [[gnu::always_inline]] static Sums sums_of(const Key* keys, __m512i sizes, std::uint64_t spread) {
    const Sums begin{
        _mm512_add_epi64(_mm512_mullo_epi64(sizes, all(ProductKeys::kSize)), all(spread)),
        _mm512_setzero_si512()};
    const Sums state = add_words(begin, Keys::first(keys));
    const __mmask8 longer = _mm512_cmpgt_epu64_mask(sizes, all(kBlock));
    if (longer == 0) return state;
    const Sums sum = add_words(state, Keys::last(keys));
    return {_mm512_mask_mov_epi64(state.low, longer, sum.low),
            _mm512_mask_mov_epi64(state.high, longer, sum.high)};
  }
};

}  // namespace bloomery
