// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bloomery/bits/bit_ops.h"
#include "bloomery/bits/bit_view.h"
#include "bloomery/filter/batch_pipeline.h"
#include "bloomery/filter/layout.h"

namespace bloomery {

// Hashes the keys of a batch, asks for what they touch, and calls act(index, hashed) for each.
template <Layout L, class K, class Act>
void run_batch(const L& layout, Words words, std::span<const K> keys, Act act) noexcept {
  constexpr std::size_t kLag = [] {
    if constexpr (requires { L::kLag; }) return L::kLag;
    return kFarLag;
  }();
  const auto hasher = hash_each_key(keys, [&](const K& key) { return hash_of(layout, key); });
  const auto prefetch = [&](Hashed<L> hash) { layout.prefetch(words, hash); };
  run_pipeline<kLag, BlockOf<Hashed<L>>>(is_far(words), keys.size(), hasher, prefetch, act);
}

// Batches of what a layout does with one key.
template <Layout L, class K>
void ask_each(const L& layout, Words words, std::span<const K> keys, bool* found) noexcept {
  run_batch(layout, words, keys,
            [&](std::size_t i, Hashed<L> hash) { found[i] = layout.may_contain(words, hash); });
}
// How many keys were new; `was_new` may be null.
template <Layout L, class K>
std::size_t insert_each(const L& layout, MutableWords words, std::span<const K> keys,
                        bool* was_new) noexcept {
  std::size_t added = 0;
  run_batch(layout, words, keys, [&](std::size_t i, Hashed<L> hash) {
    const bool is_new = layout.insert(words, hash);
    added += is_new ? 1 : 0;
    if (was_new != nullptr) was_new[i] = is_new;
  });
  return added;
}

// A layout with all that filters call: what `L` does itself, and the rest made of its positions.
template <Layout L>
class WholeLayout : public L {
 public:
  using Hashed = bloomery::Hashed<L>;

  using L::L;

  [[gnu::always_inline]] bool may_contain(Words words, Hashed hash) const noexcept {
    if constexpr (requires { itself().may_contain(words, hash); }) {
      return itself().may_contain(words, hash);
    } else {
      return L::all_positions(hash, [&](std::uint64_t at) { return test_bit(words, at); });
    }
  }

  // True where one of the key's bits was clear.
  [[gnu::always_inline]] bool insert(MutableWords words, Hashed hash) const noexcept {
    if constexpr (requires { itself().insert(words, hash); }) {
      return itself().insert(words, hash);
    } else {
      bool added = false;
      for_each_position(hash, [&](std::uint64_t at) { added |= set_bit(words, at); });
      return added;
    }
  }
  // may_contain_integer, insert_integer: may_contain and insert of an integer.
  [[gnu::always_inline]] bool may_contain_integer(Words words,
                                                  std::uint64_t integer) const noexcept {
    if constexpr (requires { itself().may_contain_integer(words, integer); }) {
      return itself().may_contain_integer(words, integer);
    } else {
      return may_contain(words, L::hash(integer));
    }
  }
  [[gnu::always_inline]] bool insert_integer(MutableWords words,
                                             std::uint64_t integer) const noexcept {
    if constexpr (requires { itself().insert_integer(words, integer); }) {
      return itself().insert_integer(words, integer);
    } else {
      return insert(words, L::hash(integer));
    }
  }

  bool insert_concurrently(MutableWords words, Hashed hash) const noexcept {
    if constexpr (requires { itself().insert_concurrently(words, hash); }) {
      return itself().insert_concurrently(words, hash);
    } else {
      bool added = false;
      for_each_position(hash, [&](std::uint64_t at) {
        added |= set_mask_atomically(words[at / kWordBits], bit_mask(at));
      });
      return added;
    }
  }

  template <class K>
  void hash_many(std::span<const K> keys, HashPair* out) const noexcept requires HashesOnce<L> {
    if constexpr (requires { itself().hash_many(keys, out); }) {
      itself().hash_many(keys, out);
    } else {
      for (const K& key : keys) *out++ = hash_of(itself(), key);
    }
  }

  template <class K>
  void may_contain_batch(Words words, std::span<const K> keys, bool* found) const noexcept {
    if constexpr (requires { itself().may_contain_batch(words, keys, found); }) {
      itself().may_contain_batch(words, keys, found);
    } else {
      ask_each(*this, words, keys, found);
    }
  }
  // How many keys were new; `was_new` may be null.
  template <class K>
  std::size_t insert_batch(MutableWords words, std::span<const K> keys,
                           bool* was_new) const noexcept {
    if constexpr (requires { itself().insert_batch(words, keys, was_new); }) {
      return itself().insert_batch(words, keys, was_new);
    } else {
      return insert_each(*this, words, keys, was_new);
    }
  }

  void merge(MutableWords words, Words others) const {
    if constexpr (requires { itself().merge(words, others); }) {
      itself().merge(words, others);
    } else {
      merge_bits(words, others);
    }
  }

  static BitView bits(Words words) noexcept requires(!SeveralPlaces<L>) {
    if constexpr (requires { L::bits(words); }) {
      return L::bits(words);
    } else {
      return words;
    }
  }

  // Calls visit(position) for every probe of a key.
  template <class Visit>
  void for_each_position(Hashed hash, Visit visit) const {
    L::all_positions(hash, [&](std::uint64_t at) {
      visit(at);
      return true;
    });
  }
  std::vector<std::uint64_t> positions(Hashed hash) const {
    std::vector<std::uint64_t> all;
    for_each_position(hash, [&](std::uint64_t at) { all.push_back(at); });
    return all;
  }
  std::vector<Probe> probes(Words words, Hashed hash) const {
    if constexpr (SeveralPlaces<L>) {
      return L::probes(words, hash);
    } else {
      std::vector<Probe> all;
      const BitView set = bits(words);
      for_each_position(hash, [&](std::uint64_t at) { all.push_back({0, at, set.test(at)}); });
      return all;
    }
  }

 private:
  const L& itself() const noexcept { return *this; }
};

}  // namespace bloomery
