// Compiled for AVX-512 with VBMI: eight keys at once, the i-th word of each in one register.
#include <immintrin.h>

#include "bloomery/hash/keys_avx512.h"
#include "bloomery/hash/product_hash_ways.h"

namespace bloomery {
namespace {

constexpr std::size_t kWord = ProductHash::kWord;
constexpr std::size_t kBlock = ProductHash::kBlock;

[[gnu::always_inline]] inline __m512i all(std::uint64_t word) {
  return _mm512_set1_epi64(static_cast<std::int64_t>(word));
}

// Eight numbers of 128 bits.
struct Sums {
  __m512i low;
  __m512i high;
};

// Of four products of halves: there is no other whose upper half is kept. What is added to one
// cannot overflow: it has room for two numbers of 32 bits.
[[gnu::always_inline]] inline Sums product(__m512i a, __m512i b) {
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

[[gnu::always_inline]] inline Sums add(Sums a, Sums b) {
  const __m512i low = _mm512_add_epi64(a.low, b.low);
  const __m512i high = _mm512_add_epi64(a.high, b.high);
  const __mmask8 carries = _mm512_cmplt_epu64_mask(low, b.low);
  return {low, _mm512_mask_add_epi64(high, carries, high, all(1))};
}

// Which byte of a key of so many comes to each place of its six words.
struct alignas(64) Places {
  unsigned char bytes[kBlock + 1][64];
};
constexpr Places kPlaces = [] {
  Places places{};
  for (std::size_t size = 0; size <= kBlock; ++size) {
    const auto from = size < kWord ? ProductHash::Places{} : ProductHash::places(size);
    for (std::size_t i = 0; i < kBlock; ++i) {
      places.bytes[size][i] = static_cast<unsigned char>(from.of[i / kWord] + i % kWord);
    }
  }
  return places;
}();

// Turned so that words[i] is the i-th word of each key.
struct Words {
  __m512i words[6];
};

[[gnu::always_inline]] inline Words turned(const __m512i* keys) {
  Words turned;
#pragma GCC unroll 2
  for (std::size_t odd = 0; odd < 2; ++odd) {
    // The words odd, odd + 2 and odd + 4 of two keys.
    const auto two = [&](std::size_t i) __attribute__((always_inline)) {
      return odd == 0 ? _mm512_unpacklo_epi64(keys[i], keys[i + 1])
                      : _mm512_unpackhi_epi64(keys[i], keys[i + 1]);
    };
    const __m512i a = two(0);
    const __m512i b = two(2);
    const __m512i c = two(4);
    const __m512i d = two(6);
    const __m512i lower = _mm512_shuffle_i64x2(a, b, 0x44);
    const __m512i upper = _mm512_shuffle_i64x2(c, d, 0x44);
    turned.words[odd] = _mm512_shuffle_i64x2(lower, upper, 0x88);
    turned.words[odd + 2] = _mm512_shuffle_i64x2(lower, upper, 0xdd);
    turned.words[odd + 4] = _mm512_shuffle_i64x2(_mm512_shuffle_i64x2(a, b, 0xee),
                                                 _mm512_shuffle_i64x2(c, d, 0xee), 0x88);
  }
  return turned;
}

[[gnu::always_inline]] inline Sums add_words(Sums state, const __m512i* keys) {
  const Words of = turned(keys);
  const auto factor = [&](std::size_t i) __attribute__((always_inline)) {
    return _mm512_xor_si512(of.words[i], all(ProductKeys::kWords[i]));
  };
  return add(add(product(_mm512_xor_si512(factor(0), state.low), factor(1)),
                 product(_mm512_xor_si512(factor(2), state.high), factor(3))),
             product(factor(4), factor(5)));
}

// With what the two halves of a product come to.
[[gnu::always_inline]] inline __m512i with_fold(__m512i word, __m512i a, std::uint64_t b) {
  constexpr int kXor = 0x96;
  const Sums of = product(a, all(b));
  return _mm512_ternarylogic_epi64(word, of.low, of.high, kXor);
}

[[gnu::always_inline]] inline void finish(Sums state, std::uint64_t* h1, std::uint64_t* h2) {
  const __m512i high = with_fold(state.high, state.low, ProductKeys::kFirst);
  const __m512i first = with_fold(state.low, high, ProductKeys::kSecond);
  _mm512_store_si512(h1, first);
  _mm512_store_si512(h2, with_fold(high, first, ProductKeys::kFirst));
}

void hash_one(std::size_t i, const Key* keys, std::uint64_t spread, std::uint64_t* h1,
              std::uint64_t* h2) noexcept {
  const HashPair pair = ProductHash::hash_key(keys[i], spread);
  h1[i] = pair.h1;
  h2[i] = pair.h2;
}

void hash_block(const Key* keys, std::size_t count, std::uint64_t spread, std::uint64_t* h1,
                std::uint64_t* h2) noexcept {
  const auto hash_alone = [&](std::size_t i) { hash_one(i, keys, spread, h1, h2); };
  const auto hash_each = [&] {
    for (std::size_t i = 0; i < count; ++i) hash_alone(i);
  };
  if (count < kProductBlock) return hash_each();
  const __m512i sizes = sizes_of(keys);
  // Integers have another hash, and eight at once take as long as the longest.
  unsigned alone =
      _mm512_cmpeq_epi64_mask(sizes, all(kWord)) | _mm512_cmpgt_epu64_mask(sizes, all(2 * kBlock));
  if (__builtin_popcount(alone) > 2) return hash_each();
  __m512i blocks[kProductBlock];
#pragma GCC unroll 8
  for (std::size_t i = 0; i < kProductBlock; ++i) {
    const std::size_t size = keys[i].size() < kBlock ? keys[i].size() : kBlock;
    blocks[i] = _mm512_permutexvar_epi8(load(kPlaces.bytes[size]), load_some(keys[i].data(), size));
  }
  const __m512i begin =
      _mm512_add_epi64(_mm512_mullo_epi64(sizes, all(ProductKeys::kSize)), all(spread));
  Sums state = add_words({begin, _mm512_setzero_si512()}, blocks);
  const __mmask8 longer = _mm512_cmpgt_epu64_mask(sizes, all(kBlock));
  if (longer != 0) {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kProductBlock; ++i) {
      const std::size_t size = keys[i].size();
      const std::size_t rest = size > kBlock ? kBlock : 0;
      blocks[i] = load_some(keys[i].data() + (size - rest), rest);
    }
    const Sums sum = add_words(state, blocks);
    state = {_mm512_mask_mov_epi64(state.low, longer, sum.low),
             _mm512_mask_mov_epi64(state.high, longer, sum.high)};
  }
  finish(state, h1, h2);
  for (; alone != 0; alone &= alone - 1) hash_alone(static_cast<unsigned>(__builtin_ctz(alone)));
}

}  // namespace

constinit const ProductWay kProductAvx512{"avx512", hash_block};

}  // namespace bloomery
