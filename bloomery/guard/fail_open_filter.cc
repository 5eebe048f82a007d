// SPDX-License-Identifier: Apache-2.0
#include "bloomery/guard/fail_open_filter.h"

#include <algorithm>

namespace bloomery {

void FailOpenFilter::count_unknowns(std::span<const Presence> answers) noexcept {
  const auto unknowns = std::ranges::count(answers, Presence::unknown);
  if (unknowns != 0) counters_.add(&GuardCounters::unknowns, unknowns);
}

Presence FailOpenFilter::ask_again(Key key, const CallContext& context) noexcept {
  try {
    return filter_.presence_of(key, context);
  } catch (...) {
    failed(context);
    return Presence::unknown;
  }
}

void FailOpenFilter::insert_many(std::span<const Key> keys, const CallContext& context) {
  try {
    filter_.insert_many(keys, context);
  } catch (...) {
    counters_.add(&GuardCounters::filter_errors);
    throw;
  }
}

bool FailOpenFilter::may_ask() noexcept {
  if (is_doubted()) return false;
  if (breaker_.allows()) return true;
  counters_.add(&GuardCounters::filter_skips);
  return false;
}

Presence FailOpenFilter::ask_in_trouble(Key key, const CallContext& context) noexcept {
  Presence answer = Presence::unknown;
  ask_many({&key, 1}, {&answer, 1}, context);
  return answer;
}

Presence FailOpenFilter::unknown() noexcept {
  counters_.add(&GuardCounters::unknowns);
  return Presence::unknown;
}

void FailOpenFilter::failed(const CallContext& context) noexcept {
  counters_.add(&GuardCounters::filter_errors);
  // A caller's hurry is no fault of the filter.
  if (!context.is_over()) breaker_.failed();
}

}  // namespace bloomery
