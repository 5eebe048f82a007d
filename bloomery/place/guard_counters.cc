// SPDX-License-Identifier: Apache-2.0
#include "bloomery/place/guard_counters.h"

namespace bloomery {
namespace {

constexpr std::array kNames = {
    GuardCounterName{"filter_absents", &GuardCounters::filter_absents, true},
    GuardCounterName{"cache_hits", &GuardCounters::cache_hits, true},
    GuardCounterName{"negative_hits", &GuardCounters::negative_hits, true},
    GuardCounterName{"found", &GuardCounters::found, true},
    GuardCounterName{"not_found", &GuardCounters::not_found, true},
    GuardCounterName{"coalesced", &GuardCounters::coalesced, true},
    GuardCounterName{"shed", &GuardCounters::shed, true},
    GuardCounterName{"failed", &GuardCounters::failed, true},
    GuardCounterName{"aborted", &GuardCounters::aborted, true},
    GuardCounterName{"database_queries", &GuardCounters::database_queries, false},
    GuardCounterName{"keys_loaded", &GuardCounters::keys_loaded, false},
    GuardCounterName{"false_positives", &GuardCounters::false_positives, false},
    GuardCounterName{"unknowns", &GuardCounters::unknowns, false},
    GuardCounterName{"filter_errors", &GuardCounters::filter_errors, false},
    GuardCounterName{"cache_errors", &GuardCounters::cache_errors, false},
    GuardCounterName{"loader_errors", &GuardCounters::loader_errors, false},
    GuardCounterName{"filter_skips", &GuardCounters::filter_skips, false},
    GuardCounterName{"cache_skips", &GuardCounters::cache_skips, false},
    GuardCounterName{"audits", &GuardCounters::audits, false},
    GuardCounterName{"false_absents", &GuardCounters::false_absents, false},
    GuardCounterName{"fenced", &GuardCounters::fenced, false},
    GuardCounterName{"fence_questions", &GuardCounters::fence_questions, false},
    GuardCounterName{"fence_failures", &GuardCounters::fence_failures, false},
    GuardCounterName{"fence_behind", &GuardCounters::fence_behind, false},
    GuardCounterName{"fence_skips", &GuardCounters::fence_skips, false},
    GuardCounterName{"fence_foreign", &GuardCounters::fence_foreign, false},
    GuardCounterName{"fence_unready", &GuardCounters::fence_unready, false},
};
static_assert(sizeof(GuardCounters) == kNames.size() * sizeof(std::uint64_t),
              "a new counter belongs in the list");

}  // namespace

std::span<const GuardCounterName> guard_counter_names() noexcept {
  return kNames;
}

std::uint64_t GuardCounters::requests() const noexcept {
  std::uint64_t sum = 0;
  for (const GuardCounterName& each : kNames) {
    if (each.is_outcome) sum += this->*each.counter;
  }
  return sum;
}

GuardCounters CounterBoard::snapshot() const noexcept {
  GuardCounters sum;
  for (const GuardCounterName& each : kNames) {
    for (Stripe& stripe : stripes_) {
      sum.*each.counter +=
          std::atomic_ref(stripe.counters.*each.counter).load(std::memory_order_relaxed);
    }
  }
  return sum;
}

}  // namespace bloomery
