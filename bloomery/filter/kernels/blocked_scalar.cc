// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/kernels/blocked_kernel_body.h"
#include "bloomery/filter/kernels/blocked_kernel_list.h"
#include "bloomery/filter/kernels/scalar_lanes.h"
#include "bloomery/filter/kernels/single_calls.h"
#include "bloomery/hash/integer_hash.h"

// Plain C++, for every processor: what the other kernels must equal.
namespace bloomery {
namespace {

struct Scalar : ScalarLanes<Scalar> {
  static constexpr std::uint64_t kBulkBytesOfOneThread = std::uint64_t{24} << 20;

  static void start_hash(const std::uint64_t* keys, std::uint64_t spread_seed, HashBlock& out) {
    hash_each(keys, kHashBlock, spread_seed, out);
  }
  static void go_on_hash(HashBlock&) {}
  static void finish_hash(HashBlock&) {}
};

}  // namespace

template <>
struct PartsOf<InstructionSet::scalar> : KernelParts<Scalar> {};
template struct SingleCalls<InstructionSet::scalar>;

constinit const BlockedKernel kBlockedScalar =
    make_blocked_kernel<PartsOf<InstructionSet::scalar>>("scalar", InstructionSet::scalar);

}  // namespace bloomery
