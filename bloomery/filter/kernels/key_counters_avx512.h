// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "bloomery/bits/counters.h"
#include "bloomery/filter/blocked_shape.h"

namespace bloomery {

// KeyCounters by AVX-512: the words of a key's eight counters are gathered, and those that changed
// are scattered. The counters lie in eight lanes, so no two are in the same word.
template <class Isa>
struct KeyCountersAvx512 {
  [[gnu::always_inline]] static bool contains(const std::uint64_t* counters, std::uint64_t word) {
    const Places at = places(word);
    return _mm512_testn_epi64_mask(gather(counters, at), at.mask) == 0;
  }

  [[gnu::always_inline]] static bool raise(std::uint64_t* counters, std::uint64_t word) {
    const Places at = places(word);
    const __m512i before = gather(counters, at);
    const __mmask8 may_rise = _mm512_cmpneq_epi64_mask(_mm512_and_si512(before, at.mask), at.mask);
    const __m512i one = _mm512_maskz_rolv_epi64(kAll, _mm512_set1_epi64(1), at.shift);
    _mm512_mask_i64scatter_epi64(counters, may_rise, at.word, _mm512_add_epi64(before, one), 8);
    return _mm512_testn_epi64_mask(before, at.mask) != 0;
  }

 private:
  static constexpr __mmask8 kAll = 0xff;

  struct Places {
    __m512i word;   // of the line
    __m512i shift;  // within it, and multiples of 64 above, which a rotation drops
    __m512i mask;
  };

  // A counter's number in its lane is six bits of the key's word: two say which word, four which
  // counter there.
  [[gnu::always_inline]] static Places places(std::uint64_t key_word) {
    const __m512i shifts = _mm512_setr_epi64(0, 6, 12, 18, 24, 30, 36, 42);
    const __m512i lanes = _mm512_setr_epi64(0, 4, 8, 12, 16, 20, 24, 28);
    const __m512i number =
        _mm512_maskz_srlv_epi64(kAll, _mm512_set1_epi64(static_cast<long long>(key_word)), shifts);
    const __m512i word =
        _mm512_and_si512(_mm512_maskz_srli_epi64(kAll, number, 4), _mm512_set1_epi64(3));
    const __m512i shift = _mm512_maskz_slli_epi64(kAll, number, 2);
    return {_mm512_or_si512(word, lanes), shift,
            _mm512_maskz_rolv_epi64(kAll, _mm512_set1_epi64(kCounterMax), shift)};
  }

  [[gnu::always_inline]] static __m512i gather(const std::uint64_t* counters, const Places& at) {
    return _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), kAll, at.word, counters, 8);
  }
};

}  // namespace bloomery
