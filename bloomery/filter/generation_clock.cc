// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/generation_clock.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <thread>

#include "bloomery/bits/bit_ops.h"
#include "bloomery/errors.h"
#include "bloomery/filter/steady_wall.h"
#include "bloomery/filter/windowed_shape.h"

namespace bloomery {
namespace {

// Head words.
constexpr std::size_t kNewest = 0;
constexpr std::size_t kInserts = 0;
constexpr std::size_t kOffset = 1;
// The last word says what the offset was raised by, if the one before is the offset.
constexpr std::size_t kRaisedTo = 2;
constexpr std::size_t kRaise = 3;

// Time stands still for so many generations. With keys in every generation the newest is one behind
// the clock at the most, so a leap of that many more is not taken for an even pace.
constexpr std::uint64_t kStandsStill = 3;

// Limits of a head: no clock and no count gets beyond, and products stay below 2^64. One that was
// stored with so much stays there: what inserts make of it must be a head again.
constexpr std::uint64_t kMost = std::uint64_t{1} << 60;
constexpr std::uint64_t kLatestMs = std::uint64_t{1} << 56;

// Windows of time read the clock once for so many keys of a batch.
constexpr std::size_t kKeysPerReading = 4096;

void raise_atomically(std::uint64_t& word, std::uint64_t value) noexcept {
  const std::atomic_ref shared(word);
  std::uint64_t seen = shared.load(std::memory_order_relaxed);
  while (seen < value && !shared.compare_exchange_weak(seen, value, std::memory_order_release,
                                                       std::memory_order_relaxed)) {
  }
}

// The head of a window by time, read at one moment of the clock.
struct Moment {
  std::uint64_t newest;
  std::uint64_t offset;
  std::uint64_t raise;  // 0: none
  std::uint64_t clock;

  // The generation that it is by the clock. Where that is later than the newest by what the clock
  // once went back, it is right again, and the offset is what it was before.
  bool is_right_again() const noexcept {
    return raise > 1 && raise <= offset && clock + offset + 1 >= newest + raise;
  }
  std::uint64_t true_offset() const noexcept { return is_right_again() ? offset - raise : offset; }
  std::uint64_t by_clock() const noexcept { return clock + true_offset(); }
  bool went_back() const noexcept { return by_clock() + kStandsStill < newest; }
};

// Odd while somebody sets an offset, of whatever filter: that is rare.
std::atomic<std::uint64_t> offset_changes{0};

// A clock and an offset that belong together.
template <class Clock>
Moment read_moment(std::span<const std::uint64_t> words, Clock clock) noexcept {
  for (;; std::this_thread::yield()) {
    const std::uint64_t changes = offset_changes.load(std::memory_order_acquire);
    if (changes % 2 != 0) continue;
    Moment moment{};
    moment.offset = __atomic_load_n(&words[kOffset], __ATOMIC_ACQUIRE);
    const bool has_raise = __atomic_load_n(&words[kRaisedTo], __ATOMIC_ACQUIRE) == moment.offset;
    moment.raise = has_raise ? __atomic_load_n(&words[kRaise], __ATOMIC_ACQUIRE) : 0;
    moment.clock = clock();
    moment.newest = __atomic_load_n(&words[kNewest], __ATOMIC_ACQUIRE);
    if (offset_changes.load(std::memory_order_acquire) == changes) return moment;
  }
}

// Sets the offset anew where an insert found that the clock went back or is right again.
template <class Clock>
void set_offset(std::span<std::uint64_t> words, Clock clock) noexcept {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const Moment moment = read_moment(words, clock);
  std::uint64_t offset = moment.true_offset();
  std::uint64_t raise = moment.is_right_again() ? 0 : moment.raise;
  if (moment.went_back()) {
    // Not to the newest: nobody knows how much of it is over by this clock, and cut short a second
    // after it began it would take its time from all keys that are older.
    const std::uint64_t before = moment.newest - 1;
    raise += before - moment.by_clock();
    offset = before - moment.clock;
  }
  offset_changes.fetch_add(1, std::memory_order_acq_rel);
  __atomic_store_n(&words[kOffset], offset, __ATOMIC_RELEASE);
  __atomic_store_n(&words[kRaisedTo], offset, __ATOMIC_RELEASE);
  __atomic_store_n(&words[kRaise], raise, __ATOMIC_RELEASE);
  offset_changes.fetch_add(1, std::memory_order_release);
}

}  // namespace

GenerationClock::GenerationClock(const FilterParameters& parameters)
    : length_ms_(parameters.window.length_ms),
      capacity_(parameters.capacity),
      generations_(parameters.window.generations),
      clock_(parameters.window.clock) {}

void GenerationClock::check_head(std::span<const std::uint64_t> words) {
  for (const std::size_t at : {kNewest, kOffset}) {
    if (words[at] <= kMost) continue;
    throw FormatError("impossible head of a windowed filter: word " + std::to_string(at) + " is " +
                      std::to_string(words[at]) + " (at most 2^60)");
  }
}

std::uint64_t GenerationClock::by_clock() const noexcept {
  const std::uint64_t now_ms = std::min(clock_ ? clock_() : steady_wall_ms(), kLatestMs);
  return generations_ + 1 + now_ms * generations_ / length_ms_;
}

std::uint64_t GenerationClock::of_count(std::uint64_t inserts) const noexcept {
  return generations_ + 1 + inserts * generations_ / capacity_;
}

std::uint64_t GenerationClock::now(std::span<const std::uint64_t> words) const noexcept {
  const std::uint64_t newest = load_word(&words[kNewest]);
  if (newest == kLostGeneration) return kLostGeneration;
  if (by_count()) return of_count(newest);
  const Moment moment = read_moment(words, [this] { return by_clock(); });
  return std::max(moment.newest, moment.by_clock());
}

GenerationClock::Turn GenerationClock::take(std::span<std::uint64_t> words,
                                            std::size_t wanted) const noexcept {
  if (!by_count()) return {take_concurrently(words), std::min(wanted, kKeysPerReading)};
  std::uint64_t& inserts = words[kInserts];
  if (inserts == kLostGeneration) return {kLostGeneration, wanted};
  const std::uint64_t generation = of_count(inserts);
  // The first insert of the next generation, rounded up.
  const std::uint64_t next =
      ((generation - generations_) * capacity_ + generations_ - 1) / generations_;
  const std::uint64_t keys =
      std::min<std::uint64_t>(wanted, std::max<std::uint64_t>(next - inserts, 1));
  inserts = std::min(inserts + keys, kMost);
  return {generation, static_cast<std::size_t>(keys)};
}

std::uint64_t GenerationClock::take_concurrently(std::span<std::uint64_t> words) const noexcept {
  const std::uint64_t head = load_word(&words[kNewest]);
  if (head == kLostGeneration) return kLostGeneration;
  if (by_count()) {
    if (head >= kMost) return of_count(head);
    return of_count(std::atomic_ref(words[kInserts]).fetch_add(1, std::memory_order_relaxed));
  }
  const auto clock = [this] { return by_clock(); };
  Moment moment = read_moment(words, clock);
  if (moment.is_right_again() || moment.went_back()) {
    set_offset(words, clock);
    moment = read_moment(words, clock);
  }
  const std::uint64_t generation = std::max(moment.newest, moment.by_clock());
  if (generation > moment.newest) raise_atomically(words[kNewest], std::min(generation, kMost));
  return generation;
}

std::uint64_t GenerationClock::newest_begin_ms(
    std::span<const std::uint64_t> words) const noexcept {
  const std::uint64_t newest = load_word(&words[kNewest]);
  return newest == kLostGeneration ? 0 : begin_ms(words, newest);
}

std::uint64_t GenerationClock::begin_ms(std::span<const std::uint64_t> words,
                                        std::uint64_t generation) const noexcept {
  const std::uint64_t first = generations_ + 1 + load_word(&words[kOffset]);
  if (by_count() || generation < first || generation - first > kMost) return 0;
  return static_cast<std::uint64_t>(
      (static_cast<Uint128>(generation - first) * length_ms_ + generations_ - 1) / generations_);
}

}  // namespace bloomery
