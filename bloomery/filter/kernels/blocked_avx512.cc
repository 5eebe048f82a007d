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
};

}  // namespace

constinit const BlockedKernel kBlockedAvx512 = make_blocked_kernel<Avx512>("avx512");

}  // namespace bloomery
