// The only file compiled for AVX-512 (foundation and doubleword-quadword instructions).
#include <immintrin.h>

#include "bloomery/filter/kernels/blocked_kernel_body.h"
#include "bloomery/filter/kernels/blocked_kernel_list.h"
#include "bloomery/hash/integer_hash.h"

namespace bloomery {
namespace {

struct Avx512 {
  using Mask = __m512i;

  static __m512i broadcast(std::uint64_t word) {
    return _mm512_set1_epi64(static_cast<long long>(word));
  }

  // A rotation takes its count modulo 64, which saves masking the lane's six bits.
  static Mask all_lanes(std::uint64_t word) {
    const __m512i shifts = _mm512_setr_epi64(0, 6, 12, 18, 24, 30, 36, 42);
    return _mm512_rolv_epi64(_mm512_set1_epi64(1), _mm512_srlv_epi64(broadcast(word), shifts));
  }

  static Mask some_lanes(std::uint64_t word, std::uint32_t probes) {
    const std::uint32_t ones = (1U << probes) - 1;
    const std::uint32_t turned = ones << first_lane(word);
    const auto used = static_cast<__mmask8>(turned | (turned >> kLaneCount));
    return _mm512_maskz_mov_epi64(used, all_lanes(word));
  }

  static bool contains(const std::uint64_t* line, Mask mask) {
    const __m512i missing = _mm512_andnot_si512(_mm512_loadu_si512(line), mask);
    return _mm512_test_epi64_mask(missing, missing) == 0;
  }

  static bool insert(std::uint64_t* line, Mask mask) {
    const __m512i lanes = _mm512_loadu_si512(line);
    const __m512i missing = _mm512_andnot_si512(lanes, mask);
    _mm512_storeu_si512(line, _mm512_or_si512(lanes, mask));
    return _mm512_test_epi64_mask(missing, missing) != 0;
  }

  static void hash_integers(const std::uint64_t* keys, std::size_t count, std::uint64_t spread_seed,
                            HashPair* out) {
    const __m512i spread = broadcast(spread_seed);
    const __m512i first_pairs = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
    const __m512i last_pairs = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8) {
      __m512i h1 = _mm512_xor_si512(_mm512_loadu_si512(keys + i), spread);
      h1 = _mm512_xor_si512(h1, _mm512_srli_epi64(h1, 30));
      h1 = _mm512_mullo_epi64(h1, broadcast(IntegerHash::kFirst));
      h1 = _mm512_xor_si512(h1, _mm512_srli_epi64(h1, 27));
      h1 = _mm512_mullo_epi64(h1, broadcast(IntegerHash::kSecond));
      h1 = _mm512_xor_si512(h1, _mm512_srli_epi64(h1, 31));
      __m512i h2 = _mm512_mullo_epi64(_mm512_xor_si512(h1, broadcast(IntegerHash::kOffset)),
                                      broadcast(IntegerHash::kThird));
      h2 = _mm512_xor_si512(h2, _mm512_srli_epi64(h2, 32));
      _mm512_storeu_si512(out + i, _mm512_permutex2var_epi64(h1, first_pairs, h2));
      _mm512_storeu_si512(out + i + 4, _mm512_permutex2var_epi64(h1, last_pairs, h2));
    }
    IntegerHash::hash_each(keys + i, count - i, spread_seed, out + i);
  }

  // The line of a key is the high half of h1 * lines. There is no such multiplication, but while
  // `lines` has at most 32 bits, which is 256 GiB, two of 32 bits make it.
  static void pack(const HashPair* hashes, std::size_t count, std::uint64_t lines,
                   std::uint64_t* packed, std::uint32_t* region) {
    const __m512i h1_lanes = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    const __m512i h2_lanes = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
    const __m512i range = broadcast(lines);
    const std::size_t whole = lines >> 32 == 0 ? count - count % 8 : 0;
    for (std::size_t i = 0; i < whole; i += 8) {
      const __m512i low = _mm512_loadu_si512(hashes + i);
      const __m512i high = _mm512_loadu_si512(hashes + i + 4);
      const __m512i h1 = _mm512_permutex2var_epi64(low, h1_lanes, high);
      const __m512i h2 = _mm512_permutex2var_epi64(low, h2_lanes, high);
      const __m512i carry = _mm512_srli_epi64(_mm512_mul_epu32(h1, range), 32);
      const __m512i product = _mm512_mul_epu32(_mm512_srli_epi64(h1, 32), range);
      const __m512i line = _mm512_srli_epi64(_mm512_add_epi64(product, carry), 32);
      const __m512i word = _mm512_and_si512(h2, broadcast(kPackedWordMask));
      _mm512_storeu_si512(packed + i,
                          _mm512_or_si512(_mm512_slli_epi64(line, kPackedLineShift), word));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(region + i),
                          _mm512_cvtepi64_epi32(_mm512_srli_epi64(line, kRegionLineBits)));
    }
    pack_each(hashes + whole, count - whole, lines, packed + whole, region + whole);
  }
};

}  // namespace

constinit const BlockedKernel kBlockedAvx512 = make_blocked_kernel<Avx512>("avx512");

}  // namespace bloomery
