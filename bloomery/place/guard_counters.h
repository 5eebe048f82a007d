// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "bloomery/bits/thread_lane.h"

namespace bloomery {

// Counts of what a guard has done since it was made.
struct GuardCounters {
  // How requests ended. Every key asked for counts once, in one of these, when its answer is known.
  std::uint64_t filter_absents = 0;  // the filter said no: neither cache nor database was asked
  std::uint64_t cache_hits = 0;
  std::uint64_t negative_hits = 0;  // the cache knew that there is no such row
  std::uint64_t found = 0;          // loaded from the database
  std::uint64_t not_found = 0;      // the database has no such row
  std::uint64_t coalesced = 0;      // shared another request's answer: its flight, or its batch
  std::uint64_t shed = 0;           // GuardOverloaded
  std::uint64_t failed = 0;         // the loader threw
  std::uint64_t aborted = 0;        // the caller's deadline passed, or he stopped

  // Counts of what happened on the way to the answers.
  std::uint64_t database_queries = 0;  // calls of the loader
  std::uint64_t keys_loaded = 0;       // keys in those calls
  std::uint64_t false_positives = 0;   // the filter said maybe, the database no
  std::uint64_t unknowns = 0;          // keys the filter could say nothing about
  std::uint64_t filter_errors = 0;     // calls that threw, as in the two below
  std::uint64_t cache_errors = 0;
  std::uint64_t loader_errors = 0;
  std::uint64_t filter_skips = 0;  // calls not made, because the last ones all threw
  std::uint64_t cache_skips = 0;
  std::uint64_t audits = 0;         // absent keys that the database was asked for all the same
  std::uint64_t false_absents = 0;  // of those, rows that the filter denies: must be 0

  // The counters of followed rows (fenced_place.h) count keys, but for the questions.
  std::uint64_t fenced = 0;           // denied behind a fence
  std::uint64_t fence_questions = 0;  // calls of `fence`
  std::uint64_t fence_failures = 0;   // unknown: that threw
  std::uint64_t fence_behind = 0;     // unknown: the watermark did not come in time
  std::uint64_t fence_skips = 0;      // unknown: it had not come for another one just before
  std::uint64_t fence_foreign = 0;    // unknown: no watermark, or of another source
  std::uint64_t fence_unready = 0;    // unknown: the filter itself is not whole, or is away

  // All that were answered or refused: the sum of the first group.
  std::uint64_t requests() const noexcept;

  // Calls visit(name, value) for each of the above, in their order.
  template <class Visit>
  void for_each(Visit visit) const;
};

struct GuardCounterName {
  std::string_view name;
  std::uint64_t GuardCounters::*counter;
  bool is_outcome;
};

std::span<const GuardCounterName> guard_counter_names() noexcept;

template <class Visit>
void GuardCounters::for_each(Visit visit) const {
  for (const GuardCounterName& each : guard_counter_names()) visit(each.name, this->*each.counter);
}

// The running counters, each thread's on cache lines of its own (see ThreadLane for those who share
// them). add() is a load and a store. snapshot() may run beside it: every counter is right, though
// not all of one instant.
class CounterBoard {
 public:
  using Counter = std::uint64_t GuardCounters::*;

  [[gnu::always_inline]] void add(Counter counter, std::uint64_t count = 1) noexcept {
    const ThreadLane lane = ThreadLane::mine();
    lane.add(std::atomic_ref(stripes_[lane.number()].counters.*counter), count);
  }

  GuardCounters snapshot() const noexcept;

 private:
  struct alignas(64) Stripe {
    GuardCounters counters;
  };

  mutable std::array<Stripe, ThreadLane::kCount>
      stripes_;  // atomic_ref reads through a plain reference
};

}  // namespace bloomery
