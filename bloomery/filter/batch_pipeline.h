#pragma once

#include <cstddef>
#include <cstdint>

#include "bloomery/hash/hash_pair.h"

namespace bloomery {

// Keys are hashed in blocks of this many: what a vector unit does at once.
inline constexpr std::size_t kHashBlock = 8;
// Hashes are used this many keys after they were stored: a vector's store is not read back word by
// word at once.
inline constexpr std::size_t kHashLag = 24;

// One batch of keys through a filter, in one loop of three steps that overlap in the processor: a
// block of keys is hashed; kHashLag keys later its lines are asked for; kLag keys later, when they
// have come, it is probed.
//
//   hash_block(first, count, out)   out[j] = hash of key first + j; count is at most kHashBlock
//   prefetch(hash)
//   probe(index, hash)              in the order of the keys
//
// kLag 0 is for filters that fit a core's cache, where a prefetch only costs.
template <std::size_t kLag, class HashBlock, class Prefetch, class Probe>
[[gnu::always_inline]] inline void run_pipeline(std::size_t count, HashBlock hash_block,
                                                Prefetch prefetch, Probe probe) {
  constexpr std::size_t kProbeLag = kHashLag + kLag;
  constexpr std::size_t kRing = kProbeLag + kHashBlock;
  static_assert(kRing % kHashBlock == 0);
  alignas(64) HashPair ring[kRing];
  const std::size_t whole = count - count % kHashBlock;
  for (std::size_t at = 0; at < whole + kProbeLag; at += kHashBlock) {
    if (at < whole) hash_block(at, kHashBlock, ring + at % kRing);
    const HashPair* const asked = ring + (at - kHashLag) % kRing;
    const HashPair* const ready = ring + (at - kProbeLag) % kRing;
    const bool ask = kLag != 0 && at >= kHashLag && at - kHashLag < whole;
    if (ask && at >= kProbeLag) {
      for (std::size_t j = 0; j < kHashBlock; ++j) {
        prefetch(asked[j]);
        probe(at - kProbeLag + j, ready[j]);
      }
    } else if (at >= kProbeLag) {
      for (std::size_t j = 0; j < kHashBlock; ++j) probe(at - kProbeLag + j, ready[j]);
    } else if (ask) {
      for (std::size_t j = 0; j < kHashBlock; ++j) prefetch(asked[j]);
    }
  }
  hash_block(whole, count - whole, ring);
  for (std::size_t j = 0; whole + j < count; ++j) probe(whole + j, ring[j]);
}

// How far ahead lines are asked for in filters beyond a core's cache: 40 to 128 measure alike.
inline constexpr std::size_t kFarLag = 64;
inline constexpr std::size_t kFarBytes = std::size_t{1} << 20;

// Asks for a line into the second-level cache: on Intel server cores more such requests are under
// way at once than into the first, which is 10 to 30 percent of throughput in DRAM, and probing
// from there costs nothing.
[[gnu::always_inline]] inline void prefetch_far(const void* address) noexcept {
  __builtin_prefetch(address, 0, 2);
  // g++ 12 takes a function that does nothing but prefetch for one without effect and drops calls
  // to it; an empty statement that it must keep is an effect.
  asm volatile("");
}

// Asks for the keys that will be hashed soon. The array of keys is read in order, but with the
// filter's lines in flight the processor drops its own read-ahead; without this a batch took 1.6
// times as long in trials.
template <class K>
[[gnu::always_inline]] inline void prefetch_keys(const K* keys) noexcept {
  constexpr std::size_t kAhead = 64;
  // An address beyond the array is only a hint; arithmetic on integers keeps the language out of
  // it.
  const auto address = reinterpret_cast<std::uintptr_t>(keys) + kAhead * sizeof(K);
  __builtin_prefetch(reinterpret_cast<const void*>(address));
  if constexpr (sizeof(K) > sizeof(std::uint64_t)) {
    __builtin_prefetch(reinterpret_cast<const void*>(address + 64));
  }
}

}  // namespace bloomery
