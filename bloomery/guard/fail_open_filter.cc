#include "bloomery/guard/fail_open_filter.h"

#include <algorithm>

namespace bloomery {

Presence FailOpenFilter::ask(Key key) noexcept {
  Presence answer = Presence::unknown;
  try {
    answer = filter_.presence_of(key);
  } catch (...) {
    counters_.add(&GuardCounters::filter_errors);
  }
  if (answer == Presence::unknown) counters_.add(&GuardCounters::unknowns);
  return answer;
}

void FailOpenFilter::ask_many(std::span<const Key> keys, std::span<Presence> answers) noexcept {
  // What the filter leaves unsaid, it does not know.
  std::ranges::fill(answers, Presence::unknown);
  try {
    filter_.presence_of_many(keys, answers);
  } catch (...) {
    std::ranges::fill(answers, Presence::unknown);
    counters_.add(&GuardCounters::filter_errors);
  }
  const auto unknowns = std::ranges::count(answers, Presence::unknown);
  if (unknowns != 0) counters_.add(&GuardCounters::unknowns, unknowns);
}

void FailOpenFilter::insert(Key key) {
  try {
    filter_.insert(key);
  } catch (...) {
    counters_.add(&GuardCounters::filter_errors);
    throw;
  }
}

}  // namespace bloomery
