// SPDX-License-Identifier: Apache-2.0
// The only file of the hashes that is compiled for AVX2: of one key, the four words of a packet at
// once. A key's steps wait for each other, but hardly any jump is between one key and the next, so
// the processor works on several keys together.
#include <immintrin.h>

#include "bloomery/hash/highway_hash.h"

namespace bloomery {
namespace {

constexpr std::size_t kPacketSize = 32;
constexpr std::size_t kHalfPacket = 16;

struct State {
  __m256i v0;
  __m256i v1;
  __m256i mul0;
  __m256i mul1;
};

[[gnu::always_inline]] inline __m256i load(const void* from) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(from));
}

[[gnu::always_inline]] inline __m256i swap_halves_of_words(__m256i words) {
  return _mm256_shuffle_epi32(words, 0xb1);
}

[[gnu::always_inline]] inline State begin(const SecretKey& secret) {
  const __m256i key = load(&secret);
  const __m256i init0 = _mm256_setr_epi64x(static_cast<long long>(0xdbe6d5d5fe4cce2f),
                                           static_cast<long long>(0xa4093822299f31d0),
                                           0x13198a2e03707344, 0x243f6a8885a308d3);
  const __m256i init1 =
      _mm256_setr_epi64x(0x3bd39e10cb0ef593, static_cast<long long>(0xc0acf169b5f18a8c),
                         static_cast<long long>(0xbe5466cf34e90c6c), 0x452821e638d01377);
  return {_mm256_xor_si256(init0, key), _mm256_xor_si256(init1, swap_halves_of_words(key)), init0,
          init1};
}

// The bytes of each pair of words, spread over both.
[[gnu::always_inline]] inline __m256i zipper_merge(__m256i words) {
  const __m256i places = _mm256_setr_epi8(3, 12, 2, 5, 14, 1, 15, 0, 11, 4, 10, 13, 9, 6, 8, 7,  //
                                          3, 12, 2, 5, 14, 1, 15, 0, 11, 4, 10, 13, 9, 6, 8, 7);
  return _mm256_shuffle_epi8(words, places);
}

[[gnu::always_inline]] inline void update(State& state, __m256i packet) {
  state.v1 = _mm256_add_epi64(state.v1, _mm256_add_epi64(state.mul0, packet));
  state.mul0 =
      _mm256_xor_si256(state.mul0, _mm256_mul_epu32(state.v1, _mm256_srli_epi64(state.v0, 32)));
  state.v0 = _mm256_add_epi64(state.v0, state.mul1);
  state.mul1 =
      _mm256_xor_si256(state.mul1, _mm256_mul_epu32(state.v0, _mm256_srli_epi64(state.v1, 32)));
  state.v0 = _mm256_add_epi64(state.v0, zipper_merge(state.v1));
  state.v1 = _mm256_add_epi64(state.v1, zipper_merge(state.v0));
}

// Loads the first `count` of the four words of 32 bits from `from` on, and zeros for the others; no
// byte behind them is read.
[[gnu::always_inline]] inline __m128i load_first(const unsigned char* from, std::size_t count) {
  const __m128i mask =
      _mm_cmpgt_epi32(_mm_set1_epi32(static_cast<int>(count)), _mm_setr_epi32(0, 1, 2, 3));
  return _mm_maskload_epi32(reinterpret_cast<const int*>(from), mask);
}

// The packet of the last 1 to 31 bytes: see highway_hash.cc.
[[gnu::always_inline]] inline __m256i packet_of(const unsigned char* tail, std::size_t size) {
  if (size >= kHalfPacket) {
    const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(tail));
    const __m128i words = load_first(tail + kHalfPacket, (size - kHalfPacket) / 4);
    int last;
    __builtin_memcpy(&last, tail + size - 4, sizeof last);
    return _mm256_set_m128i(_mm_insert_epi32(words, last, 3), low);
  }
  const __m128i low = load_first(tail, size / 4);
  std::uint32_t rest = 0;
  if (const std::size_t left = size % 4; left != 0) {
    const unsigned char* const from = tail + (size - left);
    rest = from[0] | std::uint32_t{from[left / 2]} << 8 | std::uint32_t{from[left - 1]} << 16;
  }
  return _mm256_set_m128i(_mm_cvtsi32_si128(static_cast<int>(rest)), low);
}

[[gnu::always_inline]] inline void update_tail(State& state, const unsigned char* tail,
                                               std::size_t size) {
  const int count = static_cast<int>(size);
  state.v0 = _mm256_add_epi64(state.v0, _mm256_set1_epi32(count));
  state.v1 = _mm256_or_si256(_mm256_sll_epi32(state.v1, _mm_cvtsi32_si128(count)),
                             _mm256_srl_epi32(state.v1, _mm_cvtsi32_si128(32 - count)));
  update(state, packet_of(tail, size));
}

}  // namespace

HashPair highway_hash_128_by_avx2(const char* key, std::size_t size,
                                  const SecretKey& secret) noexcept {
  State state = begin(secret);
  const auto* bytes = reinterpret_cast<const unsigned char*>(key);
  for (; size >= kPacketSize; size -= kPacketSize, bytes += kPacketSize) {
    update(state, load(bytes));
  }
  if (size != 0) update_tail(state, bytes, size);
  const __m256i turned = _mm256_setr_epi32(5, 4, 7, 6, 1, 0, 3, 2);
  for (int round = 0; round < 6; ++round) {
    update(state, _mm256_permutevar8x32_epi32(state.v0, turned));
  }
  const __m256i first = _mm256_add_epi64(state.v0, state.mul0);
  const __m256i second = _mm256_add_epi64(state.v1, state.mul1);
  const __m128i sum =
      _mm_add_epi64(_mm256_castsi256_si128(first), _mm256_extracti128_si256(second, 1));
  return {static_cast<std::uint64_t>(_mm_cvtsi128_si64(sum)),
          static_cast<std::uint64_t>(_mm_extract_epi64(sum, 1))};
}

}  // namespace bloomery
