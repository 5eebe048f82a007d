// SPDX-License-Identifier: Apache-2.0
// The only file compiled for AVX2. A processor without AES may run it: hashes_by_aes().
#include <immintrin.h>

#include "bloomery/filter/kernels/avx2_lanes.h"
#include "bloomery/filter/kernels/blocked_kernel_body.h"
#include "bloomery/filter/kernels/blocked_kernel_list.h"
#include "bloomery/filter/kernels/half_lines_avx2.h"
#include "bloomery/filter/kernels/key_counters_avx2.h"
#include "bloomery/filter/kernels/single_calls.h"
#include "bloomery/hash/integer_hash.h"

namespace bloomery {
namespace {

struct Avx2 : Avx2Lanes<Avx2> {
  // A batch hides the hashing, which is most of the work, behind its waits for memory.
  static constexpr std::uint64_t kBulkBytesOfOneThread = std::uint64_t{128} << 20;

  // AVX2 has no 64-bit multiplication; three multiplications of halves beat neither the scalar unit
  // nor themselves.
  static void start_hash(const std::uint64_t* keys, std::uint64_t spread_seed, HashBlock& out) {
    hash_each(keys, kHashBlock, spread_seed, out);
  }
  static void go_on_hash(HashBlock&) {}
  static void finish_hash(HashBlock&) {}

  // FoldHash of eight keys in two steps. Between, out.h1 holds the folded first product.
  static void start_fold(const std::uint64_t* keys, std::uint64_t spread_seed, HashBlock& out) {
#pragma GCC unroll 2
    for (std::size_t j = 0; j < kHashBlock; j += kHalf) {
      const __m256i key = _mm256_xor_si256(load(keys + j), broadcast(spread_seed));
      const Wide first = wide_product(key, FoldHash::kFirst);
      store(out.h1 + j, _mm256_xor_si256(first.low, first.high));
    }
  }
  static void go_on_fold(HashBlock& out) {
#pragma GCC unroll 2
    for (std::size_t j = 0; j < kHashBlock; j += kHalf) {
      const Wide second = wide_product(load(out.h1 + j), FoldHash::kSecond);
      store(out.h1 + j, second.low);
      store(out.h2 + j, second.high);
    }
  }

 private:
  static constexpr std::size_t kHalf = kHashBlock / 2;

  [[gnu::always_inline]] static __m256i load(const std::uint64_t* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  [[gnu::always_inline]] static void store(std::uint64_t* to, __m256i words) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), words);
  }

  // Lower and upper halves of 128-bit products, each made of four products of 32 bits.
  struct Wide {
    __m256i low;
    __m256i high;
  };
  [[gnu::always_inline]] static Wide wide_product(__m256i value, std::uint64_t factor) {
    const __m256i factor_low = broadcast(factor & 0xffffffff);
    const __m256i factor_high = broadcast(factor >> 32);
    const __m256i upper = _mm256_srli_epi64(value, 32);
    const __m256i low = _mm256_mul_epu32(value, factor_low);
    const __m256i middle =
        _mm256_add_epi64(_mm256_mul_epu32(upper, factor_low), _mm256_srli_epi64(low, 32));
    const __m256i middle_low = _mm256_blend_epi32(middle, _mm256_setzero_si256(), 0xaa);
    const __m256i other = _mm256_add_epi64(_mm256_mul_epu32(value, factor_high), middle_low);
    const __m256i carried =
        _mm256_add_epi64(_mm256_srli_epi64(middle, 32), _mm256_srli_epi64(other, 32));
    return {_mm256_blend_epi32(low, _mm256_slli_epi64(other, 32), 0xaa),
            _mm256_add_epi64(_mm256_mul_epu32(upper, factor_high), carried)};
  }
};

}  // namespace

template <>
struct PartsOf<InstructionSet::avx2>
    : KernelParts<Avx2, HalfLinesAvx2<Avx2>, KeyCountersAvx2<Avx2>> {};
template struct SingleCalls<InstructionSet::avx2>;

constinit const BlockedKernel kBlockedAvx2 =
    make_blocked_kernel<PartsOf<InstructionSet::avx2>>("avx2", InstructionSet::avx2);

}  // namespace bloomery
