// SPDX-License-Identifier: Apache-2.0
// Compiled for what Intel's Ice Lake servers and AMD's Zen 4 have of AVX-512: what
// blocked_avx512.cc does for batches of keys of one line, with texts, and integers of AES, hashed
// in the loops.
#include <immintrin.h>

#include "bloomery/filter/batch_pipeline.h"
#include "bloomery/filter/kernels/avx512_lanes.h"
#include "bloomery/filter/kernels/blocked_kernel_body.h"
#include "bloomery/filter/kernels/blocked_kernel_list.h"
#include "bloomery/hash/aes_hash_avx512.h"
#include "bloomery/hash/product_hash_avx512.h"

namespace bloomery {
namespace {

struct Icelake : Avx512Lanes<Icelake> {
  using Products = ProductOfEight<Icelake>;
  using Aes = AesOfEight<Icelake>;

  static bool has_hash_of(const HashBlocks& hashes) {
    return hashes.id == HashId::aes ? hashes.texts != nullptr || hashes.integers != nullptr
                                    : hashes.texts != nullptr && (hashes.id == HashId::product ||
                                                                  hashes.id == HashId::fold);
  }

  template <class Act>
  [[gnu::always_inline]] static void with_hasher(const HashBlocks& hashes, Act act) {
    const auto by = [&](const auto* keys, auto hash_block) __attribute__((always_inline)) {
      act(hash_blocks_by(keys, hashes.count, hashes.spread_seed, hash_block));
    };
    if (hashes.id == HashId::product) {
      by(
          hashes.texts,
          [](auto... of) __attribute__((always_inline)) { Products::hash_block(of...); });
    } else if (hashes.id == HashId::fold) {
      by(
          hashes.texts, [](auto... of) __attribute__((always_inline)) {
            Products::hash_block(of...);
            FoldHash::replace_eight_byte_keys(of...);
          });
    } else if (hashes.texts != nullptr) {
      by(
          hashes.texts, [](auto... of) __attribute__((always_inline)) { Aes::hash_block(of...); });
    } else {
      by(
          hashes.integers,
          [](auto... of) __attribute__((always_inline)) { Aes::hash_numbers(of...); });
    }
  }
};

// Loops: the loops for one shape of key. Batches of which Icelake::has_hash_of() is false go to the
// loops of blocked_avx512.cc.
template <KeyShape kShape, BlockedOps BlockedKernel::*kOthers>
struct Loops {
  using Own = BlockedLoops<Icelake, kShape>;

  static void may_contain_batch(const std::uint64_t* words, const BlockedShape& shape,
                                const HashBlocks& hashes, bool far, bool* found) {
    const auto others = (kBlockedAvx512.*kOthers).may_contain_batch;
    const auto loop = Icelake::has_hash_of(hashes) ? Own::may_contain_batch : others;
    loop(words, shape, hashes, far, found);
  }
  static std::size_t insert_batch(std::uint64_t* words, const BlockedShape& shape,
                                  const HashBlocks& hashes, bool far, bool* was_new) {
    const auto others = (kBlockedAvx512.*kOthers).insert_batch;
    const auto loop = Icelake::has_hash_of(hashes) ? Own::insert_batch : others;
    return loop(words, shape, hashes, far, was_new);
  }

  static void put_into(BlockedKernel& kernel) {
    (kernel.*kOthers).may_contain_batch = may_contain_batch;
    (kernel.*kOthers).insert_batch = insert_batch;
  }
};

}  // namespace

BlockedKernel blocked_icelake() noexcept {
  BlockedKernel kernel = kBlockedAvx512;
  kernel.name = "icelake";
  Loops<KeyShape::all_lanes, &BlockedKernel::all_lanes>::put_into(kernel);
  Loops<KeyShape::some_lanes, &BlockedKernel::some_lanes>::put_into(kernel);
  return kernel;
}

}  // namespace bloomery
