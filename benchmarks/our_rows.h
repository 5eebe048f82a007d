// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "benchmarks/our_filters.h"
#include "benchmarks/row.h"

// A row of the table for a filter of ours in one line of rows.cc.
namespace bloomery::bench {

// A filter that `make` gives for so many keys.
template <class Filter>
Row made_row(std::string name, double rate, std::function<Filter(std::uint64_t capacity)> make,
             Pattern keys = Pattern::random) {
  Row row;
  row.name = std::move(name);
  row.rate = rate;
  row.make = [make = std::move(make)](std::uint64_t capacity) {
    return std::make_unique<OurFilter<Filter>>(make(capacity));
  };
  row.keys = keys;
  row.ours = true;
  return row;
}

// A blocked filter of integers that are folded, asked in loops of this sort.
template <Loop kLoop>
Row folded_row(std::string name, double rate) {
  Row row;
  row.name = std::move(name);
  row.rate = rate;
  row.make = [rate](std::uint64_t capacity) {
    return std::make_unique<OurFilter<BlockedFilter, kLoop>>(
        BlockedFilter({.capacity = capacity, .false_positive_rate = rate, .hash = HashId::fold}));
  };
  row.ours = true;
  return row;
}

// A filter that is made from FilterOptions alone.
template <class Filter>
Row our_row(std::string name, double rate, Pattern keys = Pattern::random) {
  return made_row<Filter>(
      std::move(name), rate,
      [rate](std::uint64_t capacity) {
        return Filter({.capacity = capacity, .false_positive_rate = rate});
      },
      keys);
}

// A blocked filter that takes all its keys in bulk, in so many threads.
inline Row bulk_row(std::string name, double rate, int threads) {
  Row row;
  row.name = std::move(name);
  row.rate = rate;
  row.make = [rate, threads](std::uint64_t capacity) {
    return std::make_unique<BulkFilter>(
        FilterOptions{.capacity = capacity, .false_positive_rate = rate},
        static_cast<unsigned>(threads));
  };
  row.ours = true;
  row.threads = threads;
  return row;
}

// A filter that `build` makes from an array of all its keys, in so many threads.
template <class Filter>
Row built_row(std::string name, double rate, typename BuiltFilter<Filter>::Build build,
              int threads = 1) {
  Row row;
  row.name = std::move(name);
  row.rate = rate;
  row.make = [build = std::move(build)](std::uint64_t capacity) {
    return std::make_unique<BuiltFilter<Filter>>(capacity, build);
  };
  row.ours = true;
  row.threads = threads;
  return row;
}

}  // namespace bloomery::bench
