// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <type_traits>
#include "bloomery/hash/hash_pair.h"
#include "bloomery/hash/key.h"

namespace bloomery {

// Keys are hashed in blocks of this many: what a vector unit does at once.
inline constexpr std::size_t kHashBlock = 8;

// The hashes of a block, as vector units write them.
struct alignas(64) HashBlock {
  std::uint64_t h1[kHashBlock];
  std::uint64_t h2[kHashBlock];

  [[gnu::always_inline]] HashPair operator[](std::size_t j) const noexcept {
    return {h1[j], h2[j]};
  }
  [[gnu::always_inline]] void set(std::size_t j, HashPair hash) noexcept {
    h1[j] = hash.h1;
    h2[j] = hash.h2;
  }
};

// The keys of a block that are hashed anew for each probe.
struct KeyBlock {
  Key keys[kHashBlock];

  Key operator[](std::size_t j) const noexcept { return keys[j]; }
  void set(std::size_t j, Key key) noexcept { keys[j] = key; }
};

template <class Hashed>
using BlockOf = std::conditional_t<std::same_as<Hashed, Key>, KeyBlock, HashBlock>;

// Hashes are used this many keys after they were started: two blocks until they are finished, and a
// vector's store is not read back word by word at once.
inline constexpr std::size_t kHashLag = 5 * kHashBlock;

// How far ahead lines are asked for in filters beyond a core's cache: 40 to 128 measure alike.
inline constexpr std::size_t kFarLag = 80;
inline constexpr std::size_t kFarBytes = std::size_t{1} << 20;
#ifdef __wasm__  // which has no prefetches
inline constexpr bool kPrefetches = false;
#else
inline constexpr bool kPrefetches = true;
#endif
// Inlined also where the compiler makes code small, which then leaves out the loops for what is
// far.
[[gnu::always_inline]] inline bool is_far(std::span<const std::byte> bytes) noexcept {
  return kPrefetches && bytes.size() >= kFarBytes;
}
[[gnu::always_inline]] inline bool is_far(std::span<const std::uint64_t> words) noexcept {
  return is_far(std::as_bytes(words));
}

// Hashes a block in one go: hash(first, count, out) sets out[j] to the hash of key first + j.
template <class Hash>
struct HashAtOnce {
  Hash hash;

  [[gnu::always_inline]] void start(std::size_t first, std::size_t count, auto& out) const {
    hash(first, count, out);
  }
  void go_on(auto&) const {}
  void finish(auto&) const {}
};
template <class Hash>
HashAtOnce(Hash) -> HashAtOnce<Hash>;  // clang 14 does not deduce aggregates by itself

// One batch of keys through a filter, in one loop of steps that overlap in the processor: a block
// of keys is hashed; kHashLag keys later its lines are asked for; kLag keys later, when they have
// come, it is probed.
//
//   hasher.start(first, count, out)     begins to hash keys; a count below kHashBlock: hashes them
//   hasher.go_on(out), finish(out)      the rest, one and two blocks later: work for a processor
//                                       that would only wait for the results of the step before
//   prefetch(hash)
//   probe(index, hash)                  in the order of the keys
//
// kLag 0 is for filters that fit a core's cache, where a prefetch only costs.
template <std::size_t kLag, class Block = HashBlock, class Hasher, class Prefetch, class Probe>
[[gnu::always_inline]] inline void run_pipeline(std::size_t count, Hasher hasher, Prefetch prefetch,
                                                Probe probe) {
  constexpr std::size_t kProbeLag = kHashLag + kLag;
  constexpr std::size_t kRing = std::bit_ceil(kProbeLag / kHashBlock + 1);
  Block ring[kRing];
  const std::size_t whole = count - count % kHashBlock;
  for (std::size_t now = 0; now < whole + kProbeLag; now += kHashBlock) {
    // The block that is `lag` keys behind, and whether there is one.
    const auto block = [&](std::size_t lag) -> Block& {
      return ring[(now - lag) / kHashBlock % kRing];
    };
    const auto has = [&](std::size_t lag) { return now - lag < whole; };
    if (has(2 * kHashBlock)) hasher.finish(block(2 * kHashBlock));
    if (has(kHashBlock)) hasher.go_on(block(kHashBlock));
    if (has(0)) hasher.start(now, kHashBlock, block(0));
    const bool asks = kLag != 0 && has(kHashLag);
    if (!has(kProbeLag)) {
      for (std::size_t j = 0; asks && j < kHashBlock; ++j) prefetch(block(kHashLag)[j]);
      continue;
    }
    // In turns: requests in a row would fill the processor's queue of them, and it would wait.
    for (std::size_t j = 0; j < kHashBlock; ++j) {
      if (asks) prefetch(block(kHashLag)[j]);
      probe(now - kProbeLag + j, block(kProbeLag)[j]);
    }
  }
  hasher.start(whole, count - whole, ring[0]);
  for (std::size_t j = 0; whole + j < count; ++j) probe(whole + j, ring[0][j]);
}

// kLag only where the filter is beyond a core's cache.
template <std::size_t kLag = kFarLag, class Block = HashBlock, class Hasher, class Prefetch,
          class Probe>
[[gnu::always_inline]] inline void run_pipeline(bool far, std::size_t count, Hasher hasher,
                                                Prefetch prefetch, Probe probe) {
  if (far) {
    run_pipeline<kLag, Block>(count, hasher, prefetch, probe);
  } else {
    run_pipeline<0, Block>(count, hasher, prefetch, probe);
  }
}

// Asks for a line into the second-level cache: on Intel server cores more such requests are under
// way at once than into the first, which is 10 to 30 percent of throughput in DRAM, and probing
// from there costs nothing.
[[gnu::always_inline]] inline void prefetch_far(const void* address) noexcept {
  __builtin_prefetch(address, 0, 2);
  // g++ 12 takes a function that does nothing but prefetch for one without effect and drops calls
  // to it; an empty statement that it must keep is an effect.
  asm volatile("");
}

inline constexpr std::size_t kKeysAhead = 64;

// Asks for the keys that will be hashed soon. The array of keys is read in order, but with the
// filter's lines in flight the processor drops its own read-ahead; without this a batch took 1.6
// times as long in trials.
template <std::size_t kKeys = kKeysAhead, class K>
[[gnu::always_inline]] inline void prefetch_keys(const K* keys) noexcept {
  // Views are read once before they are used, to ask for their texts.
  constexpr std::size_t kAhead = sizeof(K) > sizeof(std::uint64_t) ? 2 * kKeys : kKeys;
  // An address beyond the array is only a hint; arithmetic on integers keeps the language out of
  // it.
  const auto address = reinterpret_cast<std::uintptr_t>(keys) + kAhead * sizeof(K);
  __builtin_prefetch(reinterpret_cast<const void*>(address));
  if constexpr (sizeof(K) > sizeof(std::uint64_t)) {
    __builtin_prefetch(reinterpret_cast<const void*>(address + 64));
  }
}

// Asks for the texts of the keys that are kKeysAhead behind those of the block at `first`, in a
// batch of `count` keys. Keys that are not texts need none of this.
template <class K>
[[gnu::always_inline]] inline void prefetch_texts(const K* keys, std::size_t count,
                                                  std::size_t first) noexcept {
  if constexpr (std::same_as<K, Key> && kPrefetches) {
    if (count - first < kKeysAhead + kHashBlock) return;
    for (std::size_t j = 0; j < kHashBlock; ++j) {
      __builtin_prefetch(keys[first + kKeysAhead + j].data());
    }
  }
}

// Hashes a block of keys for the pipeline by hash_block(keys, count, spread, h1, h2).
template <class K, class HashKeys>
[[gnu::always_inline]] inline auto hash_blocks_by(const K* keys, std::size_t key_count,
                                                  std::uint64_t spread,
                                                  HashKeys hash_block) noexcept {
  const auto hash = [=](std::size_t first, std::size_t count, HashBlock & out)
      __attribute__((always_inline)) {
    prefetch_keys(keys + first);
    prefetch_texts(keys, key_count, first);
    hash_block(keys + first, count, spread, out.h1, out.h2);
  };
  return HashAtOnce{hash};
}

// Hashes keys[i] for the pipeline as hash(keys[i]), into blocks that take that.
template <class K, class Hash>
[[gnu::always_inline]] inline auto hash_each_key(std::span<const K> keys, Hash hash) noexcept {
  return HashAtOnce{[keys, hash](std::size_t first, std::size_t count, auto& out) {
    prefetch_keys(keys.data() + first);
    prefetch_texts(keys.data(), keys.size(), first);
    for (std::size_t j = 0; j < count; ++j) out.set(j, hash(keys[first + j]));
  }};
}

}  // namespace bloomery
