// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bloomery/bits/bit_ops.h"
#include "bloomery/filter/blocked_shape.h"
#include "bloomery/filter/half_line.h"
#include "bloomery/filter/kernels/blocked_kernel.h"
#include "bloomery/filter/parameters.h"

// The definition of what the words of a windowed filter mean. Stored bits depend on it: it never
// changes.
//
// Time is divided into generations, numbered from G + 1 on, G being window.generations:
//
//   by time    G + 1 + offset + floor(milliseconds since 1970 * G / window.length_ms)
//   by count   G + 1 + floor(inserts so far * G / capacity)
//
// G + 1 slots are in a filter. Generation i has slot i mod (G + 1) until generation i + G + 1 takes
// it. A generation has bit_count / 256 half lines (half_line.h), and the lines of a key in it are
// chosen as blocked_shape.h says, half lines being the lines. Group l is half line l of all slots.
//
//   +------------+----------------------+---------------------------+
//   | head, one  | stamps: a word for   | groups: G + 1 half lines  |
//   | line       | every 16 groups,     | each, slot 0 first; then  |
//   |            | then zeros to a line | zeros to a line           |
//   +------------+----------------------+---------------------------+
//
//   head, by time    word 0 the newest generation that keys went into (0: none), word 1 the offset
//   head, by count   word 0 the inserts so far
//   stamp            the newest generation that keys of these groups went into (0: none). Slots of
//                    later generations hold what was left there long ago, and are cleared at the
//                    next insert into these groups.
namespace bloomery {

inline constexpr std::uint64_t kGroupsPerStamp = WindowedWords::kGroupsPerStamp;
inline constexpr std::uint32_t kMostGenerations = 7;
inline constexpr std::uint64_t kMostWindowMs = 100ULL * 365 * 24 * 3600 * 1000;

// A head, or a stamp, of which nothing is known: the page was lost (see lost_pages.h).
inline constexpr std::uint64_t kLostGeneration = ~std::uint64_t{0};

// Slots as bits: bit s is slot s.
using SlotSet = std::uint32_t;

struct WindowedShape : WindowedGroups {
  std::uint64_t groups = 0;  // of all lines of a key

  static WindowedShape of(const FilterParameters& parameters) noexcept {
    WindowedShape shape;
    shape.generation = BlockedShape::of(parameters.geometry);
    shape.slots = parameters.window.generations + 1;
    shape.groups = parameters.geometry.bit_count / kHalfLineBits;
    const std::uint64_t stamps = (shape.groups + kGroupsPerStamp - 1) / kGroupsPerStamp;
    shape.groups_begin = kLineWords + whole_lines(stamps);
    return shape;
  }

  std::uint64_t word_count() const noexcept {
    return whole_lines(groups_begin + groups * slots * kHalfLineWords);
  }

  static std::uint64_t stamp_word(std::uint64_t group) noexcept {
    return WindowedWords::stamp_word(group);
  }

  static std::uint64_t whole_lines(std::uint64_t words) noexcept {
    return (words + kLineWords - 1) / kLineWords * kLineWords;
  }

  std::uint32_t slot_of(std::uint64_t generation_id) const noexcept {
    return static_cast<std::uint32_t>(generation_id % slots);
  }
  SlotSet all_slots() const noexcept { return (SlotSet{1} << slots) - 1; }

  // The slots of the last `count` generations up to `newest`; all, if `count` is as many or more.
  SlotSet last_slots(std::uint64_t newest, std::uint64_t count) const noexcept {
    if (count >= slots) return all_slots();
    SlotSet set = 0;
    for (std::uint64_t i = 0; i < count; ++i) set |= SlotSet{1} << slot_of(newest - i);
    return set;
  }

  // A stamp from after `now`, as a copy made beside inserts may have; one further ahead means
  // nothing.
  bool is_ahead(std::uint64_t stamp, std::uint64_t now) const noexcept {
    return stamp > now && stamp - now < slots;
  }

  // The slots, of groups that have this stamp, whose keys are within the window now.
  SlotSet living_slots(std::uint64_t stamp, std::uint64_t now) const noexcept {
    if (stamp == now) return all_slots();
    if (now == kLostGeneration || stamp == kLostGeneration || is_ahead(stamp, now)) {
      return all_slots();
    }
    const std::uint64_t behind = now - stamp;  // wraps where the stamp means nothing
    return behind < slots ? all_slots() & ~last_slots(now, behind) : 0;
  }
};

}  // namespace bloomery
