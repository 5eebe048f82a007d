// For 64-bit Arm, which always has NEON: no file flags, no question at run time.
#include <arm_neon.h>

#include "bloomery/filter/kernels/blocked_kernel_body.h"
#include "bloomery/filter/kernels/blocked_kernel_list.h"
#include "bloomery/hash/integer_hash.h"

namespace bloomery {
namespace {

constexpr std::uint32_t kPairs = kLaneCount / 2;  // a register holds two lanes

// Entry i of the eight lanes from entry 8 - r on is the cyclic distance of lane i from lane r.
alignas(64) constexpr std::uint64_t kLaneDistance[16] = {0, 1, 2, 3, 4, 5, 6, 7,
                                                         0, 1, 2, 3, 4, 5, 6, 7};
// Shifts to the right are negative shifts to the left.
alignas(64) constexpr std::int64_t kLaneShift[8] = {0, -6, -12, -18, -24, -30, -36, -42};

struct Neon {
  struct Mask {
    uint64x2_t pairs[kPairs];
  };

  static Mask all_lanes(std::uint64_t word) {
    const uint64x2_t all = vdupq_n_u64(word);
    Mask mask;
    for (std::uint32_t i = 0; i < kPairs; ++i) {
      const uint64x2_t index =
          vandq_u64(vshlq_u64(all, vld1q_s64(kLaneShift + 2 * i)), vdupq_n_u64(63));
      mask.pairs[i] = vshlq_u64(vdupq_n_u64(1), vreinterpretq_s64_u64(index));
    }
    return mask;
  }

  static Mask some_lanes(std::uint64_t word, std::uint32_t probes) {
    Mask mask = all_lanes(word);
    const std::uint64_t* const distances = kLaneDistance + (kLaneCount - first_lane(word));
    const uint64x2_t limit = vdupq_n_u64(probes);
    for (std::uint32_t i = 0; i < kPairs; ++i) {
      const uint64x2_t used = vcltq_u64(vld1q_u64(distances + 2 * i), limit);
      mask.pairs[i] = vandq_u64(mask.pairs[i], used);
    }
    return mask;
  }

  static bool contains(const std::uint64_t* line, const Mask& mask) {
    uint64x2_t missing = vdupq_n_u64(0);
    for (std::uint32_t i = 0; i < kPairs; ++i) {
      missing = vorrq_u64(missing, vbicq_u64(mask.pairs[i], vld1q_u64(line + 2 * i)));
    }
    return !any(missing);
  }

  static bool insert(std::uint64_t* line, const Mask& mask) {
    uint64x2_t missing = vdupq_n_u64(0);
    for (std::uint32_t i = 0; i < kPairs; ++i) {
      const uint64x2_t lanes = vld1q_u64(line + 2 * i);
      missing = vorrq_u64(missing, vbicq_u64(mask.pairs[i], lanes));
      vst1q_u64(line + 2 * i, vorrq_u64(lanes, mask.pairs[i]));
    }
    return any(missing);
  }

  // NEON has no 64-bit multiplication either.
  static void start_hash(const std::uint64_t* keys, std::uint64_t spread_seed, HashBlock& out) {
    hash_each(keys, kHashBlock, spread_seed, out);
  }
  static void go_on_hash(HashBlock&) {}
  static void finish_hash(HashBlock&) {}

 private:
  static bool any(uint64x2_t bits) { return vmaxvq_u32(vreinterpretq_u32_u64(bits)) != 0; }
};

}  // namespace

constinit const BlockedKernel kBlockedNeon = make_blocked_kernel<Neon>("neon");

}  // namespace bloomery
