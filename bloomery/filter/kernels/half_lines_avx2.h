// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

#include "bloomery/filter/half_line.h"

namespace bloomery {

// HalfLines by AVX2, for files that are compiled for AVX2 or more.
template <class Isa>
struct HalfLinesAvx2 {
  using Mask = __m256i;

  [[gnu::always_inline]] static Mask all_lanes(std::uint64_t word) {
    const __m256i halves = _mm256_set1_epi64x(static_cast<long long>(word));
    const __m256i shifts = _mm256_setr_epi32(0, 0, 5, 5, 10, 10, 15, 15);
    const __m256i bits = _mm256_and_si256(_mm256_srlv_epi32(halves, shifts), _mm256_set1_epi32(31));
    return _mm256_sllv_epi32(_mm256_set1_epi32(1), bits);
  }

  [[gnu::always_inline]] static Mask some_lanes(std::uint64_t word, std::uint32_t probes) {
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i first = _mm256_set1_epi32(static_cast<int>(half_line_first_lane(word)));
    const __m256i from_first =
        _mm256_and_si256(_mm256_sub_epi32(lanes, first), _mm256_set1_epi32(7));
    const __m256i used =
        _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(probes)), from_first);
    return _mm256_and_si256(all_lanes(word), used);
  }

  [[gnu::always_inline]] static bool contains(const std::uint64_t* half_line, Mask mask) {
    return _mm256_testc_si256(load(half_line), mask) != 0;
  }

  [[gnu::always_inline]] static void insert(std::uint64_t* half_line, Mask mask) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(half_line),
                        _mm256_or_si256(load(half_line), mask));
  }

 private:
  [[gnu::always_inline]] static __m256i load(const std::uint64_t* half_line) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(half_line));
  }
};

}  // namespace bloomery
