// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bloomery/bits/bit_storage.h"
#include "bloomery/filter/blocked_shape.h"
#include "bloomery/hash/aes_hash_body.h"
#include "bloomery/hash/native_hash.h"

namespace bloomery {

// OneStep: what a call on an integer reads of its filter where the integer is hashed and probed in
// one step (one_integer.h): where keys have a bit in each lane of a line.
struct OneStep {
  enum class Hash : std::uint8_t { another, products, fold, aes };

  Hash hash = Hash::another;
  std::uint64_t words = 0;      // of all lines
  alignas(16) HashPair seed{};  // as the hash wants it

  // `by_aes`: whether a call may hash by AES.
  static OneStep of(const NativeHash& hash, const BlockedShape& shape, bool by_aes) noexcept {
    OneStep step{.words = shape.lines * kLineWords};
    if (!shape.all_lanes()) return step;
    if (hash.mixes_integers()) {
      step.hash = Hash::products;
      step.seed = {hash.spread_seed(), 0};
    } else if (hash.id() == HashId::fold) {
      step.hash = Hash::fold;
      step.seed = {hash.spread_seed(), 0};
    } else if (hash.id() == HashId::aes && by_aes) {
      step.hash = Hash::aes;
      step.seed = AesKeys::end_of_lane(sizeof(std::uint64_t), hash.spread_seed());
    }
    return step;
  }
};

}  // namespace bloomery
