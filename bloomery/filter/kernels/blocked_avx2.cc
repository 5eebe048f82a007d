// The only file compiled for AVX2.
#include <immintrin.h>

#include "bloomery/filter/kernels/avx2_lanes.h"
#include "bloomery/filter/kernels/blocked_kernel_body.h"
#include "bloomery/filter/kernels/blocked_kernel_list.h"
#include "bloomery/filter/kernels/half_lines_avx2.h"
#include "bloomery/filter/kernels/single_calls.h"
#include "bloomery/hash/integer_hash.h"

namespace bloomery {
namespace {

struct Avx2 : Avx2Lanes<Avx2> {
  // AVX2 has no 64-bit multiplication; three multiplications of halves beat neither the scalar unit
  // nor themselves.
  static void start_hash(const std::uint64_t* keys, std::uint64_t spread_seed, HashBlock& out) {
    hash_each(keys, kHashBlock, spread_seed, out);
  }
  static void go_on_hash(HashBlock&) {}
  static void finish_hash(HashBlock&) {}
};

}  // namespace

constinit const BlockedKernel kBlockedAvx2 =
    make_blocked_kernel<Avx2, HalfLinesAvx2<Avx2>>("avx2", InstructionSet::avx2);

bool may_contain_avx2(const std::uint64_t* words, const BlockedShape& shape,
                      HashPair hash) noexcept {
  return OneKeyOfAnyShape<Avx2>::may_contain(words, shape, hash);
}

bool insert_avx2(std::uint64_t* words, const BlockedShape& shape, HashPair hash) noexcept {
  return OneKeyOfAnyShape<Avx2>::insert(words, shape, hash);
}

}  // namespace bloomery
