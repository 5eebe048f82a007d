// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "bloomery/hash/key.h"

namespace bloomery {

// Reads of keys for the hashes, in files that are compiled for AVX-512. Inlined, so that a file
// compiled so keeps them to itself.

[[gnu::always_inline]] inline __m512i load(const void* from) noexcept {
  return _mm512_loadu_si512(from);
}

// Up to 64 bytes of a key, and zeros. What a load with a mask reads, a processor does not read
// ahead by itself; without the prefetch it took four times as long for keys in memory.
[[gnu::always_inline]] inline __m512i load_some(const char* from, std::size_t count) noexcept {
  __builtin_prefetch(from);
  return _mm512_maskz_loadu_epi8(_bzhi_u64(~std::uint64_t{0}, static_cast<unsigned>(count)), from);
}

// The sizes of eight keys. Read as vectors: what is written word by word and then read whole is
// waited for. A view has its size before its address by libstdc++, and behind it by libc++.
[[gnu::always_inline]] inline __m512i sizes_of(const Key* keys) noexcept {
#ifdef _LIBCPP_VERSION
  const __m512i words = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
#else
  const __m512i words = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
#endif
  return _mm512_permutex2var_epi64(load(keys), words, load(keys + 4));
}

}  // namespace bloomery
