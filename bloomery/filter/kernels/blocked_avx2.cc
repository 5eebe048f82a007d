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
};

}  // namespace

template <>
struct PartsOf<InstructionSet::avx2>
    : KernelParts<Avx2, HalfLinesAvx2<Avx2>, KeyCountersAvx2<Avx2>> {};
template struct SingleCalls<InstructionSet::avx2>;

constinit const BlockedKernel kBlockedAvx2 =
    make_blocked_kernel<PartsOf<InstructionSet::avx2>>("avx2", InstructionSet::avx2);

}  // namespace bloomery
