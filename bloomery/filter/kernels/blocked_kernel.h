// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "bloomery/filter/batch_pipeline.h"
#include "bloomery/filter/blocked_shape.h"
#include "bloomery/filter/kernels/one_key.h"
#include "bloomery/filter/kernels/region_kernel.h"
#include "bloomery/filter/kernels/scattered_kernel.h"
#include "bloomery/filter/kernels/single_calls.h"
#include "bloomery/hash/hash_pair.h"
#include "bloomery/hash/native_hash.h"

namespace bloomery {

#ifdef __wasm__  // where the size of the code counts
inline constexpr bool kFoldsInLoops = false;
#else
inline constexpr bool kFoldsInLoops = true;
#endif

// The hash pairs of a batch. The kernel itself hashes integers of IntegerHash, in its vector
// registers, and those of FoldHash; all others are hashed by a function that is called for a block
// of them at a time, unless the kernel has their hash too.
struct HashBlocks {
  std::size_t count = 0;
  // The keys, where they are of one of these types and it is their own hash that is asked for.
  const std::uint64_t* integers = nullptr;
  const Key* texts = nullptr;
  HashId id = HashId::native;
  std::uint64_t spread_seed = 0;
  // Null for integers of IntegerHash and FoldHash.
  const void* context = nullptr;
  void (*hash)(const void* context, std::size_t first, std::size_t count, HashBlock& out) = nullptr;
};

// WindowedWords: what the loops of a windowed filter must know of its words and of the moment; see
// windowed_shape.h.
struct WindowedWords {
  WindowedGroups groups;
  std::uint32_t slot = 0;  // of the generation that is now
  std::uint64_t now = 0;
  // `context` and `living_slots` are for stamps of other generations, which are rare.
  const void* context = nullptr;
  std::uint32_t (*living_slots)(const void* context, std::uint64_t stamp) = nullptr;
  void (*renew)(const void* context, std::uint64_t* words, std::uint64_t group) = nullptr;

  static constexpr std::uint64_t kGroupsPerStamp = 16;
  [[gnu::always_inline]] static std::uint64_t stamp_word(std::uint64_t group) noexcept {
    return kLineWords + group / kGroupsPerStamp;
  }
};

// Asks for the lines of a group and their stamp.
[[gnu::always_inline]] inline void prefetch_group(const std::uint64_t* words,
                                                  const WindowedGroups& of,
                                                  std::uint64_t group) noexcept {
  prefetch_far(words + WindowedWords::stamp_word(group));
  const std::uint64_t* const first = words + of.group_word(group);
  const std::uint64_t* const last = first + (of.slots - 1) * kHalfLineWords;
  for (const std::uint64_t* at = first; at <= last; at += kLineWords) prefetch_far(at);
  prefetch_far(last);
}

// The inner loops of windowed filters, as those of blocked ones below.
struct WindowedOps {
  void (*may_contain_batch)(const std::uint64_t* words, const WindowedWords& of,
                            const HashBlocks& hashes, bool far, bool* found);
  std::size_t (*insert_batch)(std::uint64_t* words, const WindowedWords& of,
                              const HashBlocks& hashes, bool far, bool* was_new);
};

// The inner loops of blocked filters for one shape of key and one kind of processor. Raw pointers,
// because the files that implement this are compiled for processors that the rest of the program
// may not have.
struct BlockedOps {
  // `far`: the words are beyond a core's cache. was_new may be null; insert_batch returns how many
  // were new.
  void (*may_contain_batch)(const std::uint64_t* words, const BlockedShape& shape,
                            const HashBlocks& hashes, bool far, bool* found);
  std::size_t (*insert_batch)(std::uint64_t* words, const BlockedShape& shape,
                              const HashBlocks& hashes, bool far, bool* was_new);
  WindowedOps windowed;
};

// CountingOps: the inner loops of counting filters, over their counters, for keys that have a
// counter in each of eight lanes. Arguments and results are those of BlockedOps.
struct CountingOps {
  void (*may_contain_batch)(const std::uint64_t* words, const BlockedShape& shape,
                            const HashBlocks& hashes, bool far, bool* found);
  std::size_t (*insert_batch)(std::uint64_t* words, const BlockedShape& shape,
                              const HashBlocks& hashes, bool far, bool* was_new);
};

struct BlockedKernel {
  std::string_view name;
  InstructionSet set;     // for single keys, see single_calls.h
  BlockedOps all_lanes;   // one line a key, a bit in each of its eight lanes
  BlockedOps some_lanes;  // one line a key, fewer bits
  BlockedOps two_lines;
  CountingOps counting;

  // out[i] = hash of keys[i]
  void (*hash_integers)(const std::uint64_t* keys, std::size_t count, std::uint64_t spread_seed,
                        HashPair* out);
  RegionOps regions;       // for bulk builds
  ScatteredOps scattered;  // for keys that have no line

  const BlockedOps& ops_for(const BlockedShape& shape) const noexcept {
    if (shape.two_lines()) return two_lines;
    return shape.all_lanes() ? all_lanes : some_lanes;
  }
  // Returns whether single calls may hash by AES: see OneStep.
  bool hashes_by_aes() const noexcept;
};

// The kernels that this processor can run, the fastest first; the scalar one, which is the
// definition of the bits, is always last. All give the same bits.
std::span<const BlockedKernel* const> blocked_kernels();

// The first of them, or the one that the environment variable BLOOMERY_KERNEL names when this is
// first called. Throws std::invalid_argument when that names none that can run here.
const BlockedKernel& blocked_kernel();

}  // namespace bloomery
