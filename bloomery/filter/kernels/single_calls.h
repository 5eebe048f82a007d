// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bloomery/filter/blocked_shape.h"
#include "bloomery/filter/half_line.h"
#include "bloomery/filter/kernels/one_step.h"
#include "bloomery/hash/hash_pair.h"

// One key by a kernel, called by the kernel's name: a processor may be kept from predicting calls
// by pointer, as those of virtual machines are against attacks, and then such a call takes longer
// than all the rest.
namespace bloomery {

enum class InstructionSet : std::uint8_t { scalar, avx2, avx512, neon };

// WindowedGroups: where the lines of a windowed filter are among its words; see windowed_shape.h.
struct WindowedGroups {
  BlockedShape generation;
  std::uint64_t groups_begin = 0;
  std::uint32_t slots = 0;

  [[gnu::always_inline]] std::uint64_t group_word(std::uint64_t group) const noexcept {
    return groups_begin + group * slots * kHalfLineWords;
  }
};

// Defined for one kernel by the file that is compiled for its processor.
template <InstructionSet kSet>
struct SingleCalls {
  using Words = std::uint64_t;

  // Single calls of a blocked filter.
  static bool may_contain(const Words* words, const BlockedShape& shape, HashPair hash) noexcept;
  static bool insert(Words* words, const BlockedShape& shape, HashPair hash) noexcept;
  // Tests, and inserts, an integer in a blocked filter; step.hash is not `another`.
  static bool may_contain(const Words* words, const OneStep& step, std::uint64_t integer) noexcept;
  static bool insert(Words* words, const OneStep& step, std::uint64_t integer) noexcept;

  // Tests, and inserts, an integer that FoldHash hashes, with a bit in each lane of a line: all
  // arguments come in registers. `word_count` is that of all lines, `spread` the seed as the hash
  // wants it.
  static bool may_contain_folded(const Words* words, std::uint64_t word_count, std::uint64_t spread,
                                 std::uint64_t integer) noexcept;
  static bool insert_folded(Words* words, std::uint64_t word_count, std::uint64_t spread,
                            std::uint64_t integer) noexcept;

  // `slots_with`, of a windowed filter: the slots, bit s for slot s, that have all bits of a key,
  // whether they count now or not. `insert_into` also sets the bits in `slot`.
  static std::uint32_t slots_with(const Words* words, const WindowedGroups& of,
                                  HashPair hash) noexcept;
  static std::uint32_t insert_into(Words* words, const WindowedGroups& of, std::uint32_t slot,
                                   HashPair hash) noexcept;

  // Single calls of a counting filter, for keys that have a counter in each of eight lanes: see
  // KeyCounters.
  static bool contains_counted(const Words* counters, std::uint64_t word) noexcept;
  static bool raise(Words* counters, std::uint64_t word) noexcept;
};

// Returns act(SingleCalls of a kernel).
template <class Act>
[[gnu::always_inline]] inline auto with_calls([[maybe_unused]] InstructionSet set, Act act) {
#if defined(__x86_64__)
  if (set == InstructionSet::avx512) return act(SingleCalls<InstructionSet::avx512>{});
  if (set == InstructionSet::avx2) return act(SingleCalls<InstructionSet::avx2>{});
#elif defined(__aarch64__)
  if (set == InstructionSet::neon) return act(SingleCalls<InstructionSet::neon>{});
#endif
  return act(SingleCalls<InstructionSet::scalar>{});
}

}  // namespace bloomery
