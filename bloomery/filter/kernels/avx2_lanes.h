// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "bloomery/filter/blocked_shape.h"
#include "bloomery/filter/kernels/lane_distance.h"
#include "bloomery/hash/integer_hash.h"

namespace bloomery {

// The bits of a key in a line by AVX2, for files that are compiled for it. `Tag` as that of
// Avx512Lanes.
template <class Tag>
struct Avx2Lanes {
  // A bit in every lane, by its index; and lines in which some lanes have none.
  struct AllLanes {
    __m256i low;
    __m256i high;
  };
  struct SomeLanes {
    __m256i low;
    __m256i high;
  };

  [[gnu::always_inline]] static __m256i broadcast(std::uint64_t word) {
    return _mm256_set1_epi64x(static_cast<long long>(word));
  }

  [[gnu::always_inline]] static AllLanes all_lanes(std::uint64_t word) {
    return all_lanes(broadcast(word));
  }
  // Makes the bits from a word in every lane, as folded() and broadcast_upper() give it.
  [[gnu::always_inline]] static AllLanes all_lanes(__m256i all) {
    const __m256i index_mask = _mm256_set1_epi64x(63);
    const __m256i low = _mm256_srlv_epi64(all, _mm256_setr_epi64x(0, 6, 12, 18));
    const __m256i high = _mm256_srlv_epi64(all, _mm256_setr_epi64x(24, 30, 36, 42));
    return {_mm256_and_si256(low, index_mask), _mm256_and_si256(high, index_mask)};
  }

  // The last fold of IntegerHash, in every lane.
  [[gnu::always_inline]] static __m256i folded(std::uint64_t word) {
    const __m256i all = broadcast(word);
    return _mm256_xor_si256(all, _mm256_srli_epi64(all, IntegerHash::kLastFold));
  }
  [[gnu::always_inline]] static __m256i broadcast_upper(__m128i pair) {
    return _mm256_permute4x64_epi64(_mm256_castsi128_si256(pair), 0x55);
  }

  [[gnu::always_inline]] static SomeLanes bits(AllLanes indices) {
    const __m256i one = _mm256_set1_epi64x(1);
    return {_mm256_sllv_epi64(one, indices.low), _mm256_sllv_epi64(one, indices.high)};
  }

  [[gnu::always_inline]] static SomeLanes some_lanes(std::uint64_t word, std::uint32_t probes) {
    const SomeLanes all = bits(all_lanes(word));
    const std::uint64_t* distances = kLaneDistance + (8 - first_lane(word));
    const __m256i limit = _mm256_set1_epi64x(probes);
    const auto used = [&](const std::uint64_t* lanes) {
      return _mm256_cmpgt_epi64(limit, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(lanes)));
    };
    return {_mm256_and_si256(all.low, used(distances)),
            _mm256_and_si256(all.high, used(distances + 4))};
  }

  // The bits are moved to the lowest of their lanes, where one test sees all of them.
  [[gnu::always_inline]] static bool contains(const std::uint64_t* line, AllLanes indices) {
    const auto* lanes = reinterpret_cast<const __m256i*>(line);
    const __m256i low = _mm256_srlv_epi64(_mm256_loadu_si256(lanes), indices.low);
    const __m256i high = _mm256_srlv_epi64(_mm256_loadu_si256(lanes + 1), indices.high);
    return _mm256_testc_si256(_mm256_and_si256(low, high), _mm256_set1_epi64x(1)) != 0;
  }
  [[gnu::always_inline]] static bool contains(const std::uint64_t* line, SomeLanes mask) {
    const auto* lanes = reinterpret_cast<const __m256i*>(line);
    return is_in(_mm256_loadu_si256(lanes), _mm256_loadu_si256(lanes + 1), mask);
  }

  [[gnu::always_inline]] static bool insert(std::uint64_t* line, AllLanes indices) {
    return insert(line, bits(indices));
  }
  [[gnu::always_inline]] static bool insert(std::uint64_t* line, SomeLanes mask) {
    auto* lanes = reinterpret_cast<__m256i*>(line);
    const __m256i low = _mm256_loadu_si256(lanes);
    const __m256i high = _mm256_loadu_si256(lanes + 1);
    const bool present = is_in(low, high, mask);
    _mm256_storeu_si256(lanes, _mm256_or_si256(low, mask.low));
    _mm256_storeu_si256(lanes + 1, _mm256_or_si256(high, mask.high));
    return !present;
  }

 private:
  [[gnu::always_inline]] static bool is_in(__m256i low, __m256i high, SomeLanes mask) {
    const __m256i missing =
        _mm256_or_si256(_mm256_andnot_si256(low, mask.low), _mm256_andnot_si256(high, mask.high));
    return _mm256_testz_si256(missing, missing) != 0;
  }
};

}  // namespace bloomery
