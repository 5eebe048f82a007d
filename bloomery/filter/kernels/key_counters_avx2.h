// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "bloomery/bits/counters.h"
#include "bloomery/filter/blocked_shape.h"

namespace bloomery {

// KeyCounters by AVX2: the words of a key's eight counters are gathered by four, and stored one by
// one.
template <class Isa>
struct KeyCountersAvx2 {
  [[gnu::always_inline]] static bool contains(const std::uint64_t* counters, std::uint64_t word) {
    const Four low = Four::of(counters, word, kLowShifts, kLowWords);
    const Four high = Four::of(counters, word, kHighShifts, kHighWords);
    const __m256i zero = _mm256_or_si256(low.is(0), high.is(0));
    return _mm256_testz_si256(zero, zero) != 0;
  }

  [[gnu::always_inline]] static bool raise(std::uint64_t* counters, std::uint64_t word) {
    const Four low = Four::of(counters, word, kLowShifts, kLowWords);
    const Four high = Four::of(counters, word, kHighShifts, kHighWords);
    const __m256i zero = _mm256_or_si256(low.is(0), high.is(0));
    low.store_raised(counters);
    high.store_raised(counters);
    return _mm256_testz_si256(zero, zero) == 0;
  }

 private:
  using Numbers = std::uint64_t[4];
  static constexpr Numbers kLowShifts{0, 6, 12, 18};
  static constexpr Numbers kHighShifts{24, 30, 36, 42};
  static constexpr Numbers kLowWords{0, 4, 8, 12};
  static constexpr Numbers kHighWords{16, 20, 24, 28};

  [[gnu::always_inline]] static __m256i load(const Numbers& numbers) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(numbers));
  }

  // The counters of a key in four lanes.
  struct Four {
    __m256i at;       // the words of the line that have them
    __m256i words;    // these
    __m256i shift;    // within them
    __m256i counter;  // by itself

    [[gnu::always_inline]] static Four of(const std::uint64_t* counters, std::uint64_t word,
                                          const Numbers& shifts, const Numbers& lanes) {
      const __m256i key_word = _mm256_set1_epi64x(static_cast<long long>(word));
      const __m256i number = _mm256_srlv_epi64(key_word, load(shifts));
      const __m256i in_lane = _mm256_and_si256(_mm256_srli_epi64(number, 4), _mm256_set1_epi64x(3));
      Four four;
      four.at = _mm256_or_si256(in_lane, load(lanes));
      four.shift = _mm256_slli_epi64(_mm256_and_si256(number, _mm256_set1_epi64x(15)), 2);
      four.words = _mm256_i64gather_epi64(reinterpret_cast<const long long*>(counters), four.at, 8);
      four.counter = _mm256_and_si256(_mm256_srlv_epi64(four.words, four.shift),
                                      _mm256_set1_epi64x(kCounterMax));
      return four;
    }

    [[gnu::always_inline]] __m256i is(std::uint64_t value) const {
      return _mm256_cmpeq_epi64(counter, _mm256_set1_epi64x(static_cast<long long>(value)));
    }

    [[gnu::always_inline]] void store_raised(std::uint64_t* counters) const {
      const __m256i one = _mm256_andnot_si256(is(kCounterMax), _mm256_set1_epi64x(1));
      const __m256i raised = _mm256_add_epi64(words, _mm256_sllv_epi64(one, shift));
      alignas(sizeof(__m256i)) Numbers to;
      alignas(sizeof(__m256i)) Numbers values;
      _mm256_store_si256(reinterpret_cast<__m256i*>(to), at);
      _mm256_store_si256(reinterpret_cast<__m256i*>(values), raised);
      for (std::size_t i = 0; i < 4; ++i) counters[to[i]] = values[i];
    }
  };
};

}  // namespace bloomery
