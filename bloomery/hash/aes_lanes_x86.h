// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

#include "bloomery/hash/aes_hash_body.h"

namespace bloomery {

// The lanes of AesHashBody by x86-64's instructions for AES, for files that are compiled for them.
// `Tag` keeps what is compiled for one processor apart from what is compiled for another.
template <class Tag>
struct AesLanesX86 {
  using Lane = __m128i;

  [[gnu::always_inline]] static Lane of_words(std::uint64_t low, std::uint64_t high) {
    return _mm_set_epi64x(static_cast<std::int64_t>(high), static_cast<std::int64_t>(low));
  }
  [[gnu::always_inline]] static HashPair words(Lane lane) {
    return {static_cast<std::uint64_t>(_mm_cvtsi128_si64(lane)),
            static_cast<std::uint64_t>(_mm_extract_epi64(lane, 1))};
  }
  [[gnu::always_inline]] static Lane load(const char* at) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  }
  [[gnu::always_inline]] static Lane drop(Lane lane, std::size_t count) {
    return _mm_shuffle_epi8(lane, load(kDropped.bytes + count));
  }
  [[gnu::always_inline]] static Lane add(Lane a, Lane b) { return _mm_xor_si128(a, b); }
  [[gnu::always_inline]] static Lane round(Lane lane, Lane key) {
    return _mm_aesenc_si128(lane, key);
  }

 private:
  // The byte that comes to each place of a lane; where the highest bit is set, zero does.
  static constexpr struct Places {
    char bytes[kAesBytes + kAesLane];
  } kDropped = [] {
    Places places{};
    for (std::size_t i = 0; i < sizeof places.bytes; ++i) {
      places.bytes[i] = static_cast<char>(i < kAesLane ? i : 0x80);
    }
    return places;
  }();
};

}  // namespace bloomery
