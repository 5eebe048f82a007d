// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "bloomery/filter/blocked_shape.h"
#include "bloomery/hash/integer_hash.h"

namespace bloomery {

// The bits of a key in a line by AVX-512 (foundation and doubleword-quadword instructions), for
// files that are compiled for it. `Tag` keeps what is compiled for one processor apart from what is
// compiled for another.
template <class Tag>
struct Avx512Lanes {
  // kAll: the mask of all lanes. Intrinsics without a mask make g++ 12 warn of its own header.
  static constexpr __mmask8 kAll = 0xff;

  // Whole lines of a bit a lane, and lines in which some lanes have none.
  struct AllLanes {
    __m512i bits;
  };
  struct SomeLanes {
    __m512i bits;
    __mmask8 used;
  };

  [[gnu::always_inline]] static __m512i broadcast(std::uint64_t word) {
    return _mm512_set1_epi64(static_cast<long long>(word));
  }

  // A rotation takes its count modulo 64, which saves masking the lane's six bits.
  [[gnu::always_inline]] static __m512i counts(__m512i word) {
    const __m512i shifts = _mm512_setr_epi64(0, 6, 12, 18, 24, 30, 36, 42);
    return _mm512_maskz_srlv_epi64(kAll, word, shifts);
  }

  [[gnu::always_inline]] static AllLanes all_lanes(std::uint64_t word) {
    return all_lanes(broadcast(word));
  }
  // Makes the bits from a word in every lane, as folded() and broadcast_upper() give it.
  [[gnu::always_inline]] static AllLanes all_lanes(__m512i word) {
    return {_mm512_maskz_rolv_epi64(kAll, _mm512_set1_epi64(1), counts(word))};
  }
  // The last fold of IntegerHash, in every lane.
  [[gnu::always_inline]] static __m512i folded(std::uint64_t word) {
    const __m512i all = broadcast(word);
    return _mm512_maskz_xor_epi64(kAll, all,
                                  _mm512_maskz_srli_epi64(kAll, all, IntegerHash::kLastFold));
  }
  [[gnu::always_inline]] static __m512i broadcast_upper(__m128i pair) {
    return _mm512_maskz_permutexvar_epi64(kAll, _mm512_set1_epi64(1), _mm512_castsi128_si512(pair));
  }

  [[gnu::always_inline]] static SomeLanes some_lanes(std::uint64_t word, std::uint32_t probes) {
    const std::uint32_t ones = (1U << probes) - 1;
    const std::uint32_t turned = ones << first_lane(word);
    const auto used = static_cast<__mmask8>(turned | (turned >> kLaneCount));
    return {_mm512_maskz_rolv_epi64(used, _mm512_set1_epi64(1), counts(broadcast(word))), used};
  }

  // With a single bit in a lane, that bit is missing where the lanes share none: one instruction.
  [[gnu::always_inline]] static __mmask8 missing(__m512i lanes, AllLanes mask) {
    return _mm512_testn_epi64_mask(mask.bits, lanes);
  }
  [[gnu::always_inline]] static __mmask8 missing(__m512i lanes, SomeLanes mask) {
    return _mm512_mask_testn_epi64_mask(mask.used, lanes, mask.bits);
  }

  template <class Mask>
  [[gnu::always_inline]] static bool contains(const std::uint64_t* line, Mask mask) {
    return missing(_mm512_loadu_si512(line), mask) == 0;
  }

  template <class Mask>
  [[gnu::always_inline]] static bool insert(std::uint64_t* line, Mask mask) {
    const __m512i lanes = _mm512_loadu_si512(line);
    _mm512_storeu_si512(line, _mm512_or_si512(lanes, mask.bits));
    return missing(lanes, mask) != 0;
  }
};

}  // namespace bloomery
