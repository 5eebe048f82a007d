// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <limits>

#include "bloomery/filter/batch_pipeline.h"
#include "bloomery/filter/blocked_shape.h"
#include "bloomery/filter/kernels/scattered_kernel.h"
#include "bloomery/filter/native_position.h"

namespace bloomery {

// EightKeys by AVX-512: each key in a lane.
template <class Isa>
struct EightKeysAvx512 {
  // Places are made by multiplications of 32 bits.
  static constexpr std::uint64_t kMostPlaces = std::numeric_limits<std::uint32_t>::max();
  // An absent key has one bit of two: few blocks have a key left after five.
  static constexpr std::uint32_t kFirstProbes = 5;

  [[gnu::always_inline]] static void move(HashBlock& block) {
    const __m512i h1 = _mm512_load_si512(block.h1);
    const __m512i h2 = _mm512_load_si512(block.h2);
    _mm512_store_si512(block.h1, Isa::multiply(_mm512_xor_si512(h1, h2), kSecondPairMix));
    _mm512_store_si512(block.h2, _mm512_add_epi64(_mm512_maskz_rol_epi64(kAll, h2, 13), h1));
  }

  [[gnu::always_inline]] static void positions(const ScatteredBytes& of, const HashBlock& block,
                                               std::uint32_t i, std::uint64_t* out) {
    _mm512_storeu_si512(out, positions_of(sum(block, i), Isa::broadcast(of.bit_count)));
  }

  [[gnu::always_inline]] static unsigned has_bits(const ScatteredBytes& of, const HashBlock& block,
                                                  std::uint32_t from, std::uint32_t to) {
    const __m512i step = _mm512_load_si512(block.h2);
    const __m512i bit_count = Isa::broadcast(of.bit_count);
    __m512i now = sum(block, from);
    unsigned has = kAll;
    for (std::uint32_t i = from; i < to; ++i) {
      const __m512i at = positions_of(now, bit_count);
      now = _mm512_add_epi64(now, step);
      const __m512i bits = _mm512_maskz_rolv_epi64(kAll, _mm512_set1_epi64(1), at);
      // Words of eight bytes, counted from the first byte; the last may end behind the bits.
      const __m512i word = _mm512_maskz_slli_epi64(kAll, _mm512_maskz_srli_epi64(kAll, at, 6), 3);
      has &= _mm512_test_epi64_mask(gather(of.bytes, word), bits);
    }
    return has;
  }
  [[gnu::always_inline]] static unsigned has_other_bits(const ScatteredBytes& of,
                                                        const HashBlock& block, unsigned some,
                                                        std::uint32_t from) {
    return some == 0 ? 0 : some & has_bits(of, block, from, of.probe_count);
  }

  [[gnu::always_inline]] static unsigned has_fingerprints(const ScatteredBytes& of,
                                                          const HashBlock& block) {
    const FuseShape& shape = of.fuse;
    const std::uint64_t length = std::uint64_t{1} << shape.segment_log;
    const std::uint64_t last = (FuseShape::kArity - 1) * length;
    const __m512i in_segment = Isa::broadcast(length - 1);
    const __m512i h1 = _mm512_load_si512(block.h1);
    const __m512i h2 = _mm512_load_si512(block.h2);
    const __m512i first = range_of(h1, Isa::broadcast(shape.slot_count() - last));
    const __m512i segment = _mm512_andnot_si512(in_segment, first);
    const auto other = [&](std::uint64_t distance, __m512i slot) __attribute__((always_inline)) {
      return _mm512_or_si512(_mm512_add_epi64(segment, Isa::broadcast(distance)),
                             _mm512_and_si512(slot, in_segment));
    };
    const auto load = [&](__m512i slot) __attribute__((always_inline)) {
      const __m512i bit =
          _mm512_maskz_mul_epu32(kAll, slot, Isa::broadcast(shape.fingerprint_bits));
      const __m512i word = gather(of.bytes, _mm512_maskz_srli_epi64(kAll, bit, 3));
      return _mm512_maskz_srlv_epi64(kAll, word, _mm512_and_si512(bit, Isa::broadcast(7)));
    };
    const __m512i second = other(length, h2);
    const __m512i third = other(last, _mm512_maskz_srli_epi64(kAll, h2, 32));
    const __m512i value =
        _mm512_xor_si512(load(first), _mm512_xor_si512(load(second), load(third)));
    return _mm512_testn_epi64_mask(_mm512_xor_si512(value, h1), Isa::broadcast(shape.mask()));
  }

 private:
  static constexpr __mmask8 kAll = 0xff;

  // fast_range() for a range of 32 bits.
  [[gnu::always_inline]] static __m512i range_of(__m512i value, __m512i range) {
    const __m512i carry =
        _mm512_maskz_srli_epi64(kAll, _mm512_maskz_mul_epu32(kAll, value, range), 32);
    const __m512i high = _mm512_maskz_srli_epi64(kAll, value, 32);
    const __m512i product = _mm512_maskz_mul_epu32(kAll, high, range);
    return _mm512_maskz_srli_epi64(kAll, _mm512_add_epi64(product, carry), 32);
  }

  // native_position() of h1 + i h2, and that sum.
  [[gnu::always_inline]] static __m512i positions_of(__m512i sum, __m512i bit_count) {
    const __m512i mixed = Isa::multiply(Isa::template fold<32>(sum), kPositionMix);
    return range_of(Isa::template fold<29>(mixed), bit_count);
  }
  [[gnu::always_inline]] static __m512i sum(const HashBlock& block, std::uint32_t i) {
    const __m512i step = Isa::multiply(_mm512_load_si512(block.h2), i);
    return _mm512_add_epi64(_mm512_load_si512(block.h1), step);
  }

  // Eight bytes each, from byte `at` on.
  [[gnu::always_inline]] static __m512i gather(const std::byte* bytes, __m512i at) {
    return _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), kAll, at, bytes, 1);
  }
};

}  // namespace bloomery
