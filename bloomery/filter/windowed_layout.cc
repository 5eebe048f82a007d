// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/windowed_layout.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>

#include "bloomery/bits/bit_view.h"
#include "bloomery/errors.h"
#include "bloomery/filter/rates.h"
#include "bloomery/filter/sizing.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kMostSlots = std::uint64_t{1} << 60;

std::string window_problem(const Window& window) {
  if (window.generations < 1 || window.generations > kMostGenerations) {
    return std::to_string(window.generations) + " generations (1 to 7)";
  }
  if (window.length_ms > kMostWindowMs) {
    return std::to_string(window.length_ms) + " ms long (at most " + std::to_string(kMostWindowMs) +
           ", a hundred years; 0 for a window by count)";
  }
  return {};
}

void clear_line(std::uint64_t* line) noexcept {
  for (std::uint64_t i = 0; i < kHalfLineWords; ++i) {
    __atomic_store_n(&line[i], 0, __ATOMIC_RELAXED);
  }
}

}  // namespace

WindowedLayout::WindowedLayout(const FilterParameters& parameters, const BlockedKernel& kernel)
    : blocked_(parameters, kernel),
      ops_(&kernel.ops_for(BlockedShape::of(parameters.geometry)).windowed),
      shape_(WindowedShape::of(parameters)),
      geometry_(parameters.geometry),
      clock_(parameters),
      locks_(std::make_unique<Locks>()) {}

Geometry WindowedLayout::geometry(const FilterOptions& options) {
  validate(options);
  if (const auto problem = window_problem(options.window); !problem.empty()) {
    throw std::invalid_argument("the window is " + problem);
  }
  if (options.capacity > kMostSlots) {
    throw std::invalid_argument("capacity is " + std::to_string(options.capacity) +
                                ": at most 2^60 keys within a window");
  }
  const std::uint32_t generations = options.window.generations;
  FilterOptions one = options;
  one.capacity = (options.capacity + generations - 1) / generations;
  one.false_positive_rate =
      -std::expm1(std::log1p(-options.false_positive_rate) / (generations + 1));
  one.false_positive_rate = std::max(one.false_positive_rate, kMinRate);
  return blocked_geometry(one, kHalfLineBits);
}

void WindowedLayout::check(const FilterParameters& parameters) {
  const Geometry& geometry = parameters.geometry;
  const std::uint32_t lines = geometry.lines_per_key;
  if ((lines != 1 && lines != 2) || geometry.line_bits != kHalfLineBits ||
      geometry.bit_count == 0 || geometry.bit_count % (lines * kHalfLineBits) != 0 ||
      geometry.probe_count < lines || geometry.probe_count > lines * kLaneCount) {
    throw FormatError("impossible geometry of a windowed filter: " + std::to_string(lines) +
                      " half lines a key (1 or 2), " + std::to_string(geometry.bit_count) +
                      " bits a generation (whole half lines of 256 for each), " +
                      std::to_string(geometry.probe_count) + " probes (1 to 8 a half line)");
  }
  if (const auto problem = window_problem(parameters.window); !problem.empty()) {
    throw FormatError("impossible window of a filter: " + problem);
  }
  if (parameters.capacity > kMostSlots || parameters.geometry.bit_count > kMostSlots) {
    throw FormatError("impossible size of a windowed filter: capacity " +
                      std::to_string(parameters.capacity) + ", " +
                      std::to_string(parameters.geometry.bit_count) +
                      " bits a generation (both at most 2^60)");
  }
}

WindowedLayout::Places WindowedLayout::places_of(HashPair hash) const noexcept {
  const BlockedShape& generation = shape_.generation;
  Places places;
  places.place[0] = {fast_range(hash.h1, generation.lines), hash.h2, generation.probes[0]};
  places.count = 1;
  if (generation.two_lines()) {
    const HashPair second = second_pair(hash);
    places.place[1] = {generation.lines + fast_range(second.h1, generation.lines), second.h2,
                       generation.probes[1]};
    places.count = 2;
  }
  return places;
}

SlotSet WindowedLayout::living_slots(std::span<const std::uint64_t> words, std::uint64_t group,
                                     std::uint64_t now) const noexcept {
  const std::uint64_t* const stamp = &words[WindowedShape::stamp_word(group)];
  return shape_.living_slots(__atomic_load_n(stamp, __ATOMIC_ACQUIRE), now);
}

WindowedWords WindowedLayout::Moment::words() const noexcept {
  const WindowedShape& shape = layout.shape_;
  return {.groups = shape,
          .slot = shape.slot_of(now),
          .now = now,
          .context = this,
          .living_slots =
              [](const void* context, std::uint64_t stamp) {
                const auto& moment = *static_cast<const Moment*>(context);
                return moment.layout.shape_.living_slots(stamp, moment.now);
              },
          .renew =
              [](const void* context, std::uint64_t* words, std::uint64_t group) {
                const auto& moment = *static_cast<const Moment*>(context);
                moment.layout.renew(words, group, moment.now);
              }};
}

// The clock is asked last: for a key without its bits, which most are, it does not matter. Reading
// a clock takes longer than all the rest, and the processor waits there for all lines before.
template <class Now>
bool WindowedLayout::is_found(std::span<const std::uint64_t> words, HashPair hash,
                              Now now) const noexcept {
  SlotSet slots = with_calls(blocked_.instruction_set(), [&](auto kernel) {
    return kernel.slots_with(words.data(), shape_, hash);
  });
  if (slots == 0) return false;
  const std::uint64_t at = now();
  for (const Place& place : places_of(hash)) slots &= living_slots(words, place.group, at);
  return slots != 0;
}

bool WindowedLayout::may_contain(std::span<const std::uint64_t> words,
                                 HashPair hash) const noexcept {
  return is_found(words, hash, [&] { return clock_.now(words); });
}

// Makes the slot of a generation ready for keys, in the sixteen groups of one stamp. What the slots
// of generations since the stamp hold is of none of the living ones.
void WindowedLayout::renew(std::uint64_t* words, std::uint64_t group,
                           std::uint64_t generation) const noexcept {
  std::uint64_t& word = words[WindowedShape::stamp_word(group)];
  const std::uint64_t stamp = load_word(&word);
  if (stamp == generation || generation == kLostGeneration) return;
  if (shape_.is_ahead(stamp, generation)) return;
  if (stamp != 0) {
    const SlotSet old = shape_.last_slots(generation, generation - stamp);
    const std::uint64_t first = group - group % kGroupsPerStamp;
    const std::uint64_t last = std::min(first + kGroupsPerStamp, shape_.groups);
    for (std::uint64_t each = first; each < last; ++each) {
      std::uint64_t* const lines = &words[shape_.group_word(each)];
      for (std::uint32_t slot = 0; slot < shape_.slots; ++slot) {
        if ((old >> slot & 1) != 0) clear_line(lines + slot * kHalfLineWords);
      }
    }
  }
  // Release: who finds this stamp also finds the lines cleared.
  __atomic_store_n(&word, generation, __ATOMIC_RELEASE);
}

void WindowedLayout::ask_for(std::span<const std::uint64_t> words,
                             const Places& places) const noexcept {
  for (const Place& place : places) {
    prefetch_group(words.data(), shape_, place.group);
  }
}

bool WindowedLayout::insert(std::span<std::uint64_t> words, HashPair hash) const noexcept {
  const Places places = places_of(hash);
  // A clock is waited for, and lines that were asked for come meanwhile.
  if (!clock_.by_count()) ask_for(words, places);
  const std::uint64_t generation = clock_.take(words, 1).generation;
  for (const Place& place : places) {
    const std::uint64_t stamp = words[WindowedShape::stamp_word(place.group)];
    if (stamp != generation) renew(words.data(), place.group, generation);
  }
  return with_calls(blocked_.instruction_set(), [&](auto kernel) {
    return kernel.insert_into(words.data(), shape_, shape_.slot_of(generation), hash) == 0;
  });
}

bool WindowedLayout::insert_concurrently(std::span<std::uint64_t> words,
                                         HashPair hash) const noexcept {
  const std::uint64_t generation = clock_.take_concurrently(words);
  const Places places = places_of(hash);
  for (const Place& place : places) {
    const std::uint64_t at = WindowedShape::stamp_word(place.group);
    if (__atomic_load_n(&words[at], __ATOMIC_ACQUIRE) == generation) continue;
    const std::scoped_lock lock((*locks_)[at % kLocks]);
    const std::uint64_t stamp = load_word(&words[at]);
    // Stamped by a thread that came later and was faster, for a generation that needs our slot: a
    // window has passed since this insert began, and its key is out of it.
    const bool too_late =
        stamp > generation && !shape_.is_ahead(stamp, generation) && stamp <= clock_.now(words);
    if (too_late) return true;
    renew(words.data(), place.group, generation);
  }
  const bool is_new = !is_found(words, hash, [&] { return generation; });
  const std::uint64_t slot = shape_.slot_of(generation);
  for (const Place& place : places) {
    std::uint64_t* const line = &words[shape_.group_word(place.group) + slot * kHalfLineWords];
    for (std::uint32_t i = 0; i < place.probes; ++i) {
      const std::uint32_t bit = place.bit(i);
      set_mask_atomically(line[bit / kWordBits], bit_mask(bit));
    }
  }
  return is_new;
}

void WindowedLayout::ask_batch(std::span<const std::uint64_t> words, const HashBlocks& hashes,
                               bool* found) const noexcept {
  const Moment moment{*this, clock_.now(words)};
  ops_->may_contain_batch(words.data(), moment.words(), hashes, is_far(words), found);
}

std::size_t WindowedLayout::insert_turn(std::span<std::uint64_t> words, std::uint64_t generation,
                                        const HashBlocks& hashes, bool* was_new) const noexcept {
  const Moment moment{*this, generation};
  return ops_->insert_batch(words.data(), moment.words(), hashes, is_far(words), was_new);
}

void WindowedLayout::merge(std::span<std::uint64_t> words,
                           std::span<const std::uint64_t> others) const {
  if (clock_.by_count()) {
    throw IncompatibleError(
        "cannot merge windows by count: nothing says in which order the keys of both came; windows "
        "of time merge");
  }
  // In this order: where a generation ends between the two, their keys get younger.
  const std::uint64_t theirs = clock_.now(others);
  const std::uint64_t now = clock_.take(words, 1).generation;
  for (std::uint64_t group = 0; group < shape_.groups; ++group) {
    const SlotSet living = living_slots(others, group, theirs);
    if (living == 0) continue;
    renew(words.data(), group, now);
    for (std::uint32_t age = 0; age < shape_.slots; ++age) {
      const std::uint32_t from = shape_.slot_of(theirs - age);
      if ((living >> from & 1) == 0) continue;
      const std::uint64_t at = shape_.group_word(group);
      merge_bits(words.subspan(at + shape_.slot_of(now - age) * kHalfLineWords, kHalfLineWords),
                 others.subspan(at + from * kHalfLineWords, kHalfLineWords));
    }
  }
}

// Sums: what is summed over the lines of a slot, and over those of all slots laid over each other.
// If only a sample is read, estimates of the sums over all lines.
struct WindowedLayout::Sums {
  struct Slot {
    double ones = 0;
    std::array<double, 2> rates{};  // of the first and the second line of a key

    double rate(const BlockedShape& shape) const noexcept {
      const auto lines = static_cast<double>(shape.lines);
      return rates[0] / lines * (shape.two_lines() ? rates[1] / lines : 1);
    }
  };
  std::array<Slot, kMostGenerations + 1> slots{};
  double ones_of_any = 0;

  void scale(std::size_t half, double factor) noexcept {
    for (Slot& slot : slots) slot.rates[half] *= factor;
  }
  void scale_ones(double factor) noexcept {
    for (Slot& slot : slots) slot.ones *= factor;
    ones_of_any *= factor;
  }
};

WindowedLayout::Sums WindowedLayout::sum_up(std::span<const std::uint64_t> words,
                                            std::uint64_t one_stamp_of) const noexcept {
  Sums sums;
  const std::uint64_t now = clock_.now(words);
  std::array<std::uint64_t, 2> looked_at{};  // groups of first and of second lines
  const auto add_group = [&](std::uint64_t group) {
    const std::uint64_t half = group / shape_.generation.lines;
    ++looked_at[half];
    const SlotSet living = living_slots(words, group, now);
    if (living == 0) return;
    std::array<std::uint64_t, kHalfLineWords> any{};
    for (std::uint32_t slot = 0; slot < shape_.slots; ++slot) {
      if ((living >> slot & 1) == 0) continue;
      const BitView line =
          words.subspan(shape_.group_word(group) + slot * kHalfLineWords, kHalfLineWords);
      sums.slots[slot].ones += static_cast<double>(line.count_ones());
      sums.slots[slot].rates[half] += line_rate(line, shape_.generation.probes[half]);
      for (std::size_t i = 0; i < kHalfLineWords; ++i) any[i] |= line[i];
    }
    sums.ones_of_any += static_cast<double>(BitView(any).count_ones());
  };
  for (std::uint64_t first = 0; first < shape_.groups; first += one_stamp_of * kGroupsPerStamp) {
    const std::uint64_t end = std::min(first + kGroupsPerStamp, shape_.groups);
    for (std::uint64_t group = first; group < end; ++group) add_group(group);
  }
  if (one_stamp_of == 1) return sums;
  const auto share = [](std::uint64_t all, std::uint64_t some) {
    return static_cast<double>(all) / static_cast<double>(std::max<std::uint64_t>(some, 1));
  };
  for (std::size_t half = 0; half < looked_at.size(); ++half) {
    sums.scale(half, share(shape_.generation.lines, looked_at[half]));
  }
  sums.scale_ones(share(shape_.groups, looked_at[0] + looked_at[1]));
  return sums;
}

FillState WindowedLayout::fill_state(std::span<const std::uint64_t> words) const noexcept {
  return fill_state_of(sum_up(words));
}

FillState WindowedLayout::fill_state_of_sample(std::span<const std::uint64_t> words,
                                               std::uint64_t byte_count) const noexcept {
  const std::uint64_t bytes_of_stamp =
      kGroupsPerStamp * shape_.slots * kHalfLineWords * sizeof(std::uint64_t);
  // Two at least: keys' second lines are all behind the first ones.
  const std::uint64_t wanted = std::max<std::uint64_t>(2, byte_count / bytes_of_stamp);
  const std::uint64_t stamps = (shape_.groups + kGroupsPerStamp - 1) / kGroupsPerStamp;
  return fill_state_of(sum_up(words, (stamps + wanted - 1) / wanted));
}

FillState WindowedLayout::fill_state_of(const Sums& sums) const noexcept {
  double ones = 0;
  double none = 1;  // the chance that no generation has an absent key
  for (const Sums::Slot& slot : sums.slots) {
    ones += slot.ones;
    none *= 1 - slot.rate(shape_.generation);
  }
  const double bits = static_cast<double>(geometry_.bit_count) * shape_.slots;
  return {.fill_ratio = ones / bits,
          .cardinality = estimate_cardinality(
              geometry_, static_cast<std::uint64_t>(std::llround(sums.ones_of_any))),
          .predicted_rate = 1 - none};
}

double WindowedLayout::rate(const FilterParameters& parameters, double keys) noexcept {
  const std::uint32_t generations = parameters.window.generations;
  const double one = predicted_rate(parameters.geometry, std::ceil(keys / generations));
  return -std::expm1(std::log1p(-one) * (generations + 1));
}

std::vector<Generation> WindowedLayout::generations(std::span<const std::uint64_t> words) const {
  const Sums sums = sum_up(words);
  const std::uint64_t now = clock_.now(words);
  std::vector<Generation> all;
  for (std::uint32_t age = 0; age < shape_.slots; ++age) {
    const Sums::Slot& slot = sums.slots[shape_.slot_of(now - age)];
    all.push_back({.age = age,
                   .begin_ms = clock_.begin_ms(words, now - age),
                   .cardinality = estimate_cardinality(
                       geometry_, static_cast<std::uint64_t>(std::llround(slot.ones))),
                   .fill_ratio = slot.ones / static_cast<double>(geometry_.bit_count),
                   .predicted_rate = slot.rate(shape_.generation)});
  }
  return all;
}

std::vector<Probe> WindowedLayout::probes(std::span<const std::uint64_t> words,
                                          HashPair hash) const {
  std::vector<Probe> all;
  const std::uint64_t now = clock_.now(words);
  std::vector<std::uint64_t> positions;
  all_positions(hash, [&](std::uint64_t position) {
    positions.push_back(position);
    return true;
  });
  for (std::uint32_t age = 0; age < shape_.slots; ++age) {
    const std::uint32_t slot = shape_.slot_of(now - age);
    for (const std::uint64_t position : positions) {
      const std::uint64_t group = position / kHalfLineBits;
      const bool living = (living_slots(words, group, now) >> slot & 1) != 0;
      const auto line =
          words.subspan(shape_.group_word(group) + slot * kHalfLineWords, kHalfLineWords);
      all.push_back({age, position, living && test_bit(line, position % kHalfLineBits)});
    }
  }
  return all;
}

}  // namespace bloomery
