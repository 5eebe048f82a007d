#pragma once

#include <span>

#include "bloomery/filter/filter_place.h"
#include "bloomery/guard/guard_counters.h"

namespace bloomery {

// A filter whose failures are answers: an exception is counted and becomes `unknown`, for all keys
// of the call. Borrows both of its arguments.
class FailOpenFilter {
 public:
  FailOpenFilter(FilterPlace& filter, CounterBoard& counters) noexcept
      : filter_(filter), counters_(counters) {}

  Presence ask(Key key) noexcept;
  void ask_many(std::span<const Key> keys, std::span<Presence> answers) noexcept;

  // Inserting has no such way out: throws what the filter throws, counted.
  void insert(Key key);

 private:
  FilterPlace& filter_;
  CounterBoard& counters_;
};

}  // namespace bloomery
