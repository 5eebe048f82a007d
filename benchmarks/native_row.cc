// SPDX-License-Identifier: Apache-2.0
// Compiled with -march=native, in a unit of its own.
#include "benchmarks/native_row.h"

#include "benchmarks/our_filters.h"

namespace bloomery::bench {
namespace {

// A type of this file's own, so that what is compiled here is not linked into other rows.
struct Native : BlockedFilter {
  using BlockedFilter::BlockedFilter;
};

}  // namespace

SubjectPointer make_native_blocked(std::uint64_t capacity, double rate) {
  return std::make_unique<OurFilter<Native>>(
      Native({.capacity = capacity, .false_positive_rate = rate}));
}

}  // namespace bloomery::bench
