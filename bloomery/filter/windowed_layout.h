// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "bloomery/filter/blocked_layout.h"
#include "bloomery/filter/filter_contents.h"
#include "bloomery/filter/generation_clock.h"
#include "bloomery/filter/layout.h"
#include "bloomery/filter/windowed_shape.h"

namespace bloomery {

// One generation of a windowed filter, as it is now.
struct Generation {
  std::uint32_t age = 0;       // 0 is the one that keys go into
  std::uint64_t begin_ms = 0;  // since 1970, of windows of time; else 0
  double cardinality = 0;      // estimated distinct keys
  double fill_ratio = 0;
  double predicted_rate = 0;
};

// Generations of blocked filters, side by side: a question reads half a line of each, which are
// neighbours, and an insert writes one. A generation that is too old is nowhere touched: its lines
// are cleared sixteen groups at a time, when the first key comes there that needs their slot.
// windowed_shape.h defines the bits.
class WindowedLayout {
 public:
  static constexpr FilterKind kKind = FilterKind::windowed;
  static constexpr bool kForgets = true;

  // Uses the fastest kernel; the other form is for those who compare kernels.
  explicit WindowedLayout(const FilterParameters& parameters)
      : WindowedLayout(parameters, blocked_kernel()) {}
  WindowedLayout(const FilterParameters& parameters, const BlockedKernel& kernel);

  // The geometry of one generation. It keeps 1 - (1 - rate)^(1 / (G + 1)), so that all together
  // keep the rate.
  static Geometry geometry(const FilterOptions& options);
  static void check(const FilterParameters& parameters);
  static void check_words(std::span<const std::uint64_t> words) {
    GenerationClock::check_head(words);
  }
  static std::uint64_t word_count(const FilterParameters& parameters) noexcept {
    return WindowedShape::of(parameters).word_count();
  }

  HashPair hash(Key key) const noexcept { return blocked_.hash(key); }
  HashPair hash(std::uint64_t integer) const noexcept { return blocked_.hash(integer); }
  template <class K>
  void hash_many(std::span<const K> keys, HashPair* out) const noexcept {
    blocked_.hash_many(keys, out);
  }

  bool may_contain(std::span<const std::uint64_t> words, HashPair hash) const noexcept;
  // True where no generation has the key; it goes into the newest all the same.
  bool insert(std::span<std::uint64_t> words, HashPair hash) const noexcept;
  bool insert_concurrently(std::span<std::uint64_t> words, HashPair hash) const noexcept;

  template <class K>
  void may_contain_batch(std::span<const std::uint64_t> words, std::span<const K> keys,
                         bool* found) const noexcept {
    const KeyBlocks<K> hashed = blocked_.key_blocks(keys);
    ask_batch(words, hashed.blocks(), found);
  }
  template <class K>
  std::size_t insert_batch(std::span<std::uint64_t> words, std::span<const K> keys,
                           bool* was_new) const noexcept {
    std::size_t added = 0;
    for (std::size_t first = 0; first < keys.size();) {
      const auto turn = clock_.take(words, keys.size() - first);
      const KeyBlocks<K> hashed = blocked_.key_blocks(keys.subspan(first, turn.keys));
      added += insert_turn(words, turn.generation, hashed.blocks(),
                           was_new == nullptr ? nullptr : was_new + first);
      first += turn.keys;
    }
    return added;
  }

  // Each generation of the others goes to ours of the same age. Throws IncompatibleError for
  // windows by count: whose inserts came last is not known.
  void merge(std::span<std::uint64_t> words, std::span<const std::uint64_t> others) const;

  // How full it is: see BasicFilter. Keys count once, however many generations have them.
  FillState fill_state(std::span<const std::uint64_t> words) const noexcept;
  // An estimate of the same, from `byte_count` bytes at most that are evenly spread, but from those
  // of two stamps at least.
  FillState fill_state_of_sample(std::span<const std::uint64_t> words,
                                 std::uint64_t byte_count) const noexcept;
  // The rate of all generations together, each with its share of the keys.
  static double rate(const FilterParameters& parameters, double keys) noexcept;
  // The newest first.
  std::vector<Generation> generations(std::span<const std::uint64_t> words) const;

  // The bits of a key in a generation; and in all of them, their layer being the age.
  template <class Test>
  bool all_positions(HashPair hash, Test test) const {
    for (const Place& place : places_of(hash)) {
      for (std::uint32_t i = 0; i < place.probes; ++i) {
        if (!test(place.group * kHalfLineBits + place.bit(i))) return false;
      }
    }
    return true;
  }
  std::vector<Probe> probes(std::span<const std::uint64_t> words, HashPair hash) const;

 private:
  // One line of a key: its group, and the word that says its bits.
  struct Place {
    std::uint64_t group;
    std::uint64_t word;
    std::uint32_t probes;

    // The bit of probe i within its half line.
    std::uint32_t bit(std::uint32_t i) const noexcept {
      return half_line_bit(word, (half_line_first_lane(word) + i) % kLaneCount);
    }
  };
  struct Places {
    std::array<Place, 2> place;
    std::uint32_t count;

    const Place* begin() const noexcept { return place.data(); }
    const Place* end() const noexcept { return place.data() + count; }
  };
  Places places_of(HashPair hash) const noexcept;
  void ask_for(std::span<const std::uint64_t> words, const Places& places) const noexcept;

  SlotSet living_slots(std::span<const std::uint64_t> words, std::uint64_t group,
                       std::uint64_t now) const noexcept;
  // Returns whether a generation that is within the window when now() is called has all bits of a
  // key.
  template <class Now>
  bool is_found(std::span<const std::uint64_t> words, HashPair hash, Now now) const noexcept;
  void renew(std::uint64_t* words, std::uint64_t group, std::uint64_t generation) const noexcept;

  // The words for the kernel, which calls back to one of these.
  struct Moment {
    const WindowedLayout& layout;
    std::uint64_t now;

    WindowedWords words() const noexcept;
  };

  void ask_batch(std::span<const std::uint64_t> words, const HashBlocks& hashes,
                 bool* found) const noexcept;
  std::size_t insert_turn(std::span<std::uint64_t> words, std::uint64_t generation,
                          const HashBlocks& hashes, bool* was_new) const noexcept;

  struct Sums;
  Sums sum_up(std::span<const std::uint64_t> words, std::uint64_t one_stamp_of = 1) const noexcept;
  FillState fill_state_of(const Sums& sums) const noexcept;

  // A thread that clears groups beside other threads holds the lock of their stamp.
  static constexpr std::size_t kLocks = 64;
  using Locks = std::array<std::mutex, kLocks>;

  BlockedLayout blocked_;
  const WindowedOps* ops_;
  WindowedShape shape_;
  Geometry geometry_;
  GenerationClock clock_;
  std::unique_ptr<Locks> locks_;
};

static_assert(Layout<WindowedLayout>);

}  // namespace bloomery
