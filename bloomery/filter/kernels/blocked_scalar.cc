#include "bloomery/filter/kernels/blocked_kernel_body.h"
#include "bloomery/filter/kernels/blocked_kernel_list.h"
#include "bloomery/filter/kernels/scalar_lanes.h"
#include "bloomery/filter/kernels/single_calls.h"
#include "bloomery/hash/integer_hash.h"

// Plain C++, for every processor: what the other kernels must equal.
namespace bloomery {
namespace {

struct Scalar : ScalarLanes<Scalar> {
  static void start_hash(const std::uint64_t* keys, std::uint64_t spread_seed, HashBlock& out) {
    hash_each(keys, kHashBlock, spread_seed, out);
  }
  static void go_on_hash(HashBlock&) {}
  static void finish_hash(HashBlock&) {}
};

}  // namespace

constinit const BlockedKernel kBlockedScalar =
    make_blocked_kernel<Scalar>("scalar", InstructionSet::scalar);

bool may_contain_scalar(const std::uint64_t* words, const BlockedShape& shape,
                        HashPair hash) noexcept {
  return OneKeyOfAnyShape<Scalar>::may_contain(words, shape, hash);
}

bool insert_scalar(std::uint64_t* words, const BlockedShape& shape, HashPair hash) noexcept {
  return OneKeyOfAnyShape<Scalar>::insert(words, shape, hash);
}

}  // namespace bloomery
