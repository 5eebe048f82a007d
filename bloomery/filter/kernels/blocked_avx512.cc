// SPDX-License-Identifier: Apache-2.0
// The only file compiled for AVX-512 (foundation and doubleword-quadword instructions), and as
// blocked_avx2.cc for AES.
#include <immintrin.h>

#include "bloomery/filter/kernels/avx512_lanes.h"
#include "bloomery/filter/kernels/blocked_kernel_body.h"
#include "bloomery/filter/kernels/blocked_kernel_list.h"
#include "bloomery/filter/kernels/eight_keys_avx512.h"
#include "bloomery/filter/kernels/half_lines_avx2.h"
#include "bloomery/filter/kernels/key_counters_avx512.h"
#include "bloomery/filter/kernels/single_calls.h"
#include "bloomery/hash/integer_hash.h"

namespace bloomery {
namespace {

struct Avx512 : Avx512Lanes<Avx512> {
  static constexpr std::uint64_t kBulkBytesOfOneThread = std::uint64_t{24} << 20;

  // The three multiplications of IntegerHash, each of which takes as long as probing a block. In
  // between, out.h1 holds h1 as far as it is.
  static void start_hash(const std::uint64_t* keys, std::uint64_t spread_seed, HashBlock& out) {
    const __m512i key = _mm512_xor_si512(_mm512_loadu_si512(keys), broadcast(spread_seed));
    _mm512_store_si512(out.h1, multiply(fold<30>(key), IntegerHash::kFirst));
  }
  static void go_on_hash(HashBlock& out) {
    const __m512i h1 = _mm512_load_si512(out.h1);
    _mm512_store_si512(out.h1, multiply(fold<27>(h1), IntegerHash::kSecond));
  }
  static void finish_hash(HashBlock& out) {
    const __m512i h1 = fold<31>(_mm512_load_si512(out.h1));
    const __m512i offset = _mm512_xor_si512(h1, broadcast(IntegerHash::kOffset));
    const __m512i h2 = fold<32>(multiply(offset, IntegerHash::kThird));
    _mm512_store_si512(out.h1, h1);
    _mm512_store_si512(out.h2, h2);
  }

  // FoldHash of eight keys in two steps. Between, out.h1 holds the folded first product.
  static void start_fold(const std::uint64_t* keys, std::uint64_t spread_seed, HashBlock& out) {
    const __m512i key = _mm512_xor_si512(_mm512_loadu_si512(keys), broadcast(spread_seed));
    const Wide first = wide_product(key, FoldHash::kFirst);
    _mm512_store_si512(out.h1, _mm512_xor_si512(first.low, first.high));
  }
  static void go_on_fold(HashBlock& out) {
    const Wide second = wide_product(_mm512_load_si512(out.h1), FoldHash::kSecond);
    _mm512_store_si512(out.h1, second.low);
    _mm512_store_si512(out.h2, second.high);
  }

  // Lower and upper halves of 128-bit products.
  struct Wide {
    __m512i low;
    __m512i high;
  };
  [[gnu::always_inline]] static Wide wide_product(__m512i value, std::uint64_t factor) {
    const __m512i factor_low = broadcast(factor & 0xffffffff);
    const __m512i factor_high = broadcast(factor >> 32);
    const __m512i upper = _mm512_srli_epi64(value, 32);
    const __m512i low = _mm512_mul_epu32(value, factor_low);
    const __m512i middle =
        _mm512_add_epi64(_mm512_mul_epu32(upper, factor_low), _mm512_srli_epi64(low, 32));
    const __m512i other = _mm512_add_epi64(_mm512_mul_epu32(value, factor_high),
                                           _mm512_maskz_mov_epi32(0x5555, middle));
    const __m512i high = _mm512_add_epi64(
        _mm512_add_epi64(_mm512_mul_epu32(upper, factor_high), _mm512_srli_epi64(middle, 32)),
        _mm512_srli_epi64(other, 32));
    return {_mm512_mask_shuffle_epi32(low, 0xaaaa, other, static_cast<_MM_PERM_ENUM>(0xa0)), high};
  }

  template <unsigned kShift>
  static __m512i fold(__m512i value) {
    return _mm512_xor_si512(value, _mm512_srli_epi64(value, kShift));
  }
  static __m512i multiply(__m512i value, std::uint64_t factor) {
    return _mm512_mullo_epi64(value, broadcast(factor));
  }

  // The line of a key is the high half of h1 * lines. There is no such multiplication, but while
  // `lines` has at most 32 bits, which is 256 GiB, two of 32 bits make it.
  static void pack(const HashBlock& hashes, std::uint64_t lines, std::uint64_t* packed,
                   std::uint32_t* region) {
    if (lines >> 32 != 0) return pack_each(hashes, lines, packed, region);
    const __m512i range = broadcast(lines);
    const __m512i h1 = _mm512_load_si512(hashes.h1);
    const __m512i carry = _mm512_srli_epi64(_mm512_mul_epu32(h1, range), 32);
    const __m512i product = _mm512_mul_epu32(_mm512_srli_epi64(h1, 32), range);
    const __m512i line = _mm512_srli_epi64(_mm512_add_epi64(product, carry), 32);
    const __m512i word = _mm512_and_si512(_mm512_load_si512(hashes.h2), broadcast(kPackedWordMask));
    _mm512_store_si512(packed, _mm512_or_si512(_mm512_slli_epi64(line, kPackedLineShift), word));
    _mm256_store_si256(reinterpret_cast<__m256i*>(region),
                       _mm512_cvtepi64_epi32(_mm512_srli_epi64(line, kRegionLineBits)));
  }

  static void stream_line(std::uint64_t* to, const std::uint64_t* from) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to), _mm512_load_si512(from));
  }
};

}  // namespace

template <>
struct PartsOf<InstructionSet::avx512>
    : KernelParts<Avx512, HalfLinesAvx2<Avx512>, KeyCountersAvx512<Avx512>,
                  EightKeysAvx512<Avx512>> {};
template struct SingleCalls<InstructionSet::avx512>;

constinit const BlockedKernel kBlockedAvx512 =
    make_blocked_kernel<PartsOf<InstructionSet::avx512>>("avx512", InstructionSet::avx512);

}  // namespace bloomery
