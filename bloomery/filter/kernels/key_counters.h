// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bloomery/bits/bit_storage.h"
#include "bloomery/bits/counters.h"
#include "bloomery/filter/blocked_shape.h"

namespace bloomery {

// The words with the counters of a lane, and of a line.
inline constexpr std::uint64_t kLaneCounterWords = kWordBits / kCountersPerWord;
inline constexpr std::uint64_t kLineCounterWords = kLaneCount * kLaneCounterWords;

// The counters of a key that has one in each of eight lanes, in plain C++, which is their
// definition; `Isa` keeps what is compiled for one processor apart from the others. `counters` are
// those of the key's line, and `word` is its h2.
template <class Isa>
struct KeyCounters {
  [[gnu::always_inline]] static bool contains(const std::uint64_t* counters, std::uint64_t word) {
    bool found = true;
#pragma GCC unroll 8
    for (std::uint32_t lane = 0; lane < kLaneCount; ++lane) {
      const Counter of(word, lane);
      found &= (load_word(&counters[of.word]) >> of.shift & kCounterMax) != 0;
    }
    return found;
  }

  // Raises a key's counters, and returns whether one of them was zero.
  [[gnu::always_inline]] static bool raise(std::uint64_t* counters, std::uint64_t word) {
    bool added = false;
#pragma GCC unroll 8
    for (std::uint32_t lane = 0; lane < kLaneCount; ++lane) {
      const Counter of(word, lane);
      const std::uint64_t before = counters[of.word] >> of.shift & kCounterMax;
      added |= before == 0;
      counters[of.word] += std::uint64_t{before != kCounterMax} << of.shift;
    }
    return added;
  }

 private:
  struct Counter {
    [[gnu::always_inline]] Counter(std::uint64_t key_word, std::uint32_t lane)
        : word(lane * kLaneCounterWords + lane_bit(key_word, lane) / kCountersPerWord),
          shift(lane_bit(key_word, lane) % kCountersPerWord * kCounterBits) {}
    std::uint64_t word;
    std::uint64_t shift;
  };
};

}  // namespace bloomery
