// SPDX-License-Identifier: Apache-2.0
// The only file compiled for 64-bit Arm's instructions for AES.
#include <arm_neon.h>

#include "bloomery/hash/aes_hash_ways.h"

namespace bloomery {
namespace {

struct Neon {
  using Lane = uint8x16_t;

  [[gnu::always_inline]] static Lane of_words(std::uint64_t low, std::uint64_t high) {
    return vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(low), vcreate_u64(high)));
  }
  [[gnu::always_inline]] static HashPair words(Lane lane) {
    const uint64x2_t both = vreinterpretq_u64_u8(lane);
    return {vgetq_lane_u64(both, 0), vgetq_lane_u64(both, 1)};
  }
  [[gnu::always_inline]] static Lane load(const char* at) {
    return vld1q_u8(reinterpret_cast<const std::uint8_t*>(at));
  }
  // Drops bytes: vqtbl1q_u8 gives zero where there is no byte of that number.
  [[gnu::always_inline]] static Lane drop(Lane lane, std::size_t count) {
    const Lane places = of_words(0x0706050403020100, 0x0f0e0d0c0b0a0908);
    return vqtbl1q_u8(lane, vaddq_u8(places, vdupq_n_u8(static_cast<std::uint8_t>(count))));
  }
  [[gnu::always_inline]] static Lane add(Lane a, Lane b) { return veorq_u8(a, b); }
  // Arm adds the key before the round.
  [[gnu::always_inline]] static Lane round(Lane lane, Lane key) {
    return veorq_u8(vaesmcq_u8(vaeseq_u8(lane, vdupq_n_u8(0))), key);
  }
};

}  // namespace

constinit const AesWay kAesNeon = aes_way<Neon>("aes");

}  // namespace bloomery
