// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/bits/heap_words.h"
#include "bloomery/filter/batch_pipeline.h"
#include "bloomery/filter/fuse_shape.h"
#include "bloomery/hash/hash_pair.h"

namespace bloomery {

// The keys in each slot of a fuse filter that is being built. A slot has one word: how many keys it
// has, and the exclusive or of what is known of them, which of a single key is just that.
//
//   bits          2                   18                18         18 or more    8, the highest
//              which of its     slot 0 ^ slot 1   slot 0 ^ slot 2  fingerprint   how many
//              slots this is
//
// Slots are counted within their segments there. From one slot of a key and this word its others
// follow, so nobody looks for the key itself.
template <class Word>
class FuseOccupants {
 public:
  static bool fits(const FuseShape& shape) noexcept {
    return kFingerprintShift + shape.fingerprint_bits <= kCountShift;
  }

  explicit FuseOccupants(const FuseShape& shape)
      : shape_(shape),
        memory_(shape.slot_count() * (8 * sizeof(Word) / kWordBits)),
        words_(reinterpret_cast<Word*>(memory_.words().data()),
               static_cast<std::size_t>(shape.slot_count())) {
    const std::size_t length = std::size_t{1} << shape.segment_log;
    lower_segment_ = {length, 0 - length, 0 - 2 * length};
    upper_segment_ = {2 * length, length, 0 - length};
  }

  std::size_t slot_count() const noexcept { return words_.size(); }
  bool are_far() const noexcept { return is_far(memory_.words()); }

  // False where more keys share a slot than can be counted: chance does not do that.
  bool add(HashPair hash) noexcept {
    const FuseShape::Slots slots = shape_.slots(hash);
    const std::size_t offset_mask = (std::size_t{1} << shape_.segment_log) - 1;
    const Word key = Word{(slots[0] ^ slots[1]) & offset_mask} << kSecondShift |
                     Word{(slots[0] ^ slots[2]) & offset_mask} << kThirdShift |
                     Word{shape_.fingerprint(hash)} << kFingerprintShift;
    for (std::size_t place = 0; place < FuseShape::kArity; ++place) {
      Word& word = words_[slots[place]];
      if (word >> kCountShift == kMostKeys) return false;
      word = (word ^ (key | place)) + kOneKey;
    }
    return true;
  }

  void prefetch(std::size_t slot) const noexcept { prefetch_far(&words_[slot]); }
  // Asks for the slots that will soon be met when keys are taken from `slot` on: each key reaches
  // two segments further, and the keys that it leaves alone there reach two more.
  void prefetch_ahead(std::size_t slot) const noexcept {
    constexpr std::size_t kSlotsOfLine = 64 / sizeof(Word);
    const std::size_t ahead = slot + (std::size_t{4} << shape_.segment_log);
    if (slot % kSlotsOfLine == 0 && ahead < words_.size()) prefetch(ahead);
  }
  Word operator[](std::size_t slot) const noexcept { return words_[slot]; }
  static bool is_one(Word word) noexcept { return word >> kCountShift == 1; }

  // The other slots of the key that is alone in one.
  struct Others {
    std::size_t lower;
    std::size_t upper;
  };
  // Without jumps, which would be as random as the keys: g++ 12 makes jumps of "==" and "?".
  [[gnu::always_inline]] Others others(std::size_t slot, Word word) const noexcept {
    constexpr std::uint64_t kOffsets = (std::uint64_t{1} << FuseShape::kMaxSegmentLog) - 1;
    const auto known = static_cast<std::uint64_t>(word);
    const auto place = static_cast<std::size_t>(known & kPlaceMask);
    const std::uint64_t second = known >> kSecondShift & kOffsets;
    const std::uint64_t third = known >> kThirdShift & kOffsets;
    const auto to_lower = static_cast<std::size_t>(second ^ ((second ^ third) & (0 - is_2(place))));
    const auto to_upper = static_cast<std::size_t>(third ^ (second & (0 - is_not_0(place))));
    return {(slot ^ to_lower) + lower_segment_[place], (slot ^ to_upper) + upper_segment_[place]};
  }
  std::uint64_t fingerprint(Word word) const noexcept {
    return static_cast<std::uint64_t>(word >> kFingerprintShift) & shape_.mask();
  }

  // Left: what take() leaves in the other slots of the key.
  struct Left {
    Word lower;
    Word upper;
  };
  // Takes a key out of its slots, in one of which it is alone. There it stays known.
  [[gnu::always_inline]] Left take(std::size_t slot, Word word, Others others) noexcept {
    const Word place = word & kPlaceMask;
    const Word key = (word ^ place) - kOneKey;
    const Left left{(words_[others.lower] ^ key ^ (1 ^ is_not_0(place))) - kOneKey,
                    (words_[others.upper] ^ key ^ (2 - is_2(place))) - kOneKey};
    words_[others.lower] = left.lower;
    words_[others.upper] = left.upper;
    words_[slot] = word - kOneKey;
    return left;
  }

 private:
  static constexpr std::uint32_t kSecondShift = 2;
  static constexpr std::uint32_t kThirdShift = kSecondShift + FuseShape::kMaxSegmentLog;
  static constexpr std::uint32_t kFingerprintShift = kThirdShift + FuseShape::kMaxSegmentLog;
  static constexpr std::uint32_t kCountShift = 8 * sizeof(Word) - 8;
  static constexpr Word kPlaceMask = 3;
  static constexpr Word kMostKeys = 255;
  static constexpr Word kOneKey = Word{1} << kCountShift;

  template <class N>
  [[gnu::always_inline]] static N is_2(N place) noexcept {
    return place >> 1;
  }
  template <class N>
  [[gnu::always_inline]] static N is_not_0(N place) noexcept {
    return (place | place >> 1) & 1;
  }

  FuseShape shape_;
  // The distance from the segment of each of a key's slots to those of the others; modulo 2^64.
  std::array<std::size_t, FuseShape::kArity> lower_segment_;
  std::array<std::size_t, FuseShape::kArity> upper_segment_;
  HeapWords memory_;
  std::span<Word> words_;
};

}  // namespace bloomery
