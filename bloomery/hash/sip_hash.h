// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "bloomery/hash/key.h"

namespace bloomery {

struct SipKey {
  std::uint64_t k0 = 0;
  std::uint64_t k1 = 0;
};

// SipHash-c-d: a keyed pseudo-random function made for tables that strangers' keys enter, and for
// short keys several times faster than HighwayHash. For tables in memory, not for stored bits.
// Aumasson and Bernstein 2012, "SipHash: a fast short-input PRF".
template <int c, int d>
class SipHash {
 public:
  explicit constexpr SipHash(SipKey key) noexcept
      : v0_(key.k0 ^ 0x736f6d6570736575),
        v1_(key.k1 ^ 0x646f72616e646f6d),
        v2_(key.k0 ^ 0x6c7967656e657261),
        v3_(key.k1 ^ 0x7465646279746573) {}

  std::uint64_t operator()(Key key) const noexcept {
    SipHash state = *this;
    const char* bytes = key.data();
    std::size_t left = key.size();
    for (; left >= sizeof(std::uint64_t); left -= 8, bytes += 8) {
      std::uint64_t word;
      std::memcpy(&word, bytes, sizeof word);
      state.absorb(word);
    }
    std::uint64_t last = 0;  // the rest, and the length's low byte above it
    if (left != 0) std::memcpy(&last, bytes, left);
    state.absorb(last | std::uint64_t{key.size()} << 56);
    state.v2_ ^= 0xff;
    state.template rounds<d>();
    return state.v0_ ^ state.v1_ ^ state.v2_ ^ state.v3_;
  }

 private:
  static_assert(std::endian::native == std::endian::little, "words are read in place");

  void absorb(std::uint64_t word) noexcept {
    v3_ ^= word;
    rounds<c>();
    v0_ ^= word;
  }

  template <int count>
  void rounds() noexcept {
    for (int i = 0; i < count; ++i) {
      v0_ += v1_;
      v2_ += v3_;
      v1_ = std::rotl(v1_, 13) ^ v0_;
      v3_ = std::rotl(v3_, 16) ^ v2_;
      v0_ = std::rotl(v0_, 32) + v3_;
      v2_ += v1_;
      v1_ = std::rotl(v1_, 17) ^ v2_;
      v3_ = std::rotl(v3_, 21) ^ v0_;
      v2_ = std::rotl(v2_, 32);
    }
  }

  std::uint64_t v0_;
  std::uint64_t v1_;
  std::uint64_t v2_;
  std::uint64_t v3_;
};

}  // namespace bloomery
