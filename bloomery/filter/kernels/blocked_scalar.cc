#include <array>

#include "bloomery/bits/bit_ops.h"
#include "bloomery/filter/kernels/blocked_kernel_body.h"
#include "bloomery/filter/kernels/blocked_kernel_list.h"
#include "bloomery/hash/integer_hash.h"

// The definition of a blocked filter's bits in plain C++: what the other kernels must equal.
namespace bloomery {
namespace {

struct Scalar {
  using Mask = std::array<std::uint64_t, kLaneCount>;

  static Mask some_lanes(std::uint64_t word, std::uint32_t probes) {
    Mask mask{};
    for (std::uint32_t i = 0; i < probes; ++i) {
      const std::uint32_t lane = (first_lane(word) + i) % kLaneCount;
      mask[lane] = std::uint64_t{1} << lane_bit(word, lane);
    }
    return mask;
  }

  static Mask all_lanes(std::uint64_t word) {
    Mask mask;
    for (std::uint32_t lane = 0; lane < kLaneCount; ++lane) {
      mask[lane] = std::uint64_t{1} << lane_bit(word, lane);
    }
    return mask;
  }

  static bool contains(const std::uint64_t* line, const Mask& mask) {
    std::uint64_t missing = 0;
    for (std::uint32_t lane = 0; lane < kLaneCount; ++lane) {
      missing |= mask[lane] & ~load_word(&line[lane]);
    }
    return missing == 0;
  }

  static bool insert(std::uint64_t* line, const Mask& mask) {
    std::uint64_t missing = 0;
    for (std::uint32_t lane = 0; lane < kLaneCount; ++lane) {
      missing |= mask[lane] & ~line[lane];
      line[lane] |= mask[lane];
    }
    return missing != 0;
  }

  static void start_hash(const std::uint64_t* keys, std::uint64_t spread_seed, HashBlock& out) {
    hash_each(keys, kHashBlock, spread_seed, out);
  }
  static void go_on_hash(HashBlock&) {}
  static void finish_hash(HashBlock&) {}
};

}  // namespace

constinit const BlockedKernel kBlockedScalar = make_blocked_kernel<Scalar>("scalar");

}  // namespace bloomery
