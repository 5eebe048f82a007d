// SPDX-License-Identifier: Apache-2.0
// For 64-bit Arm, which always has NEON: no file flags, no question at run time.
#include "bloomery/filter/kernels/blocked_kernel_body.h"
#include "bloomery/filter/kernels/blocked_kernel_list.h"
#include "bloomery/filter/kernels/neon_lanes.h"
#include "bloomery/filter/kernels/single_calls.h"
#include "bloomery/hash/integer_hash.h"

namespace bloomery {
namespace {

struct Neon : NeonLanes<Neon> {
  static constexpr std::uint64_t kBulkBytesOfOneThread = std::uint64_t{48} << 20;  // not measured

  // NEON has no 64-bit multiplication either.
  static void start_hash(const std::uint64_t* keys, std::uint64_t spread_seed, HashBlock& out) {
    hash_each(keys, kHashBlock, spread_seed, out);
  }
  static void go_on_hash(HashBlock&) {}
  static void finish_hash(HashBlock&) {}
};

}  // namespace

template <>
struct PartsOf<InstructionSet::neon> : KernelParts<Neon> {};
template struct SingleCalls<InstructionSet::neon>;

constinit const BlockedKernel kBlockedNeon =
    make_blocked_kernel<PartsOf<InstructionSet::neon>>("neon", InstructionSet::neon);

}  // namespace bloomery
