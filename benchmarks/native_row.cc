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

SubjectPointer make_native_blocked(std::uint64_t capacity, HashId hash, Loop loop) {
  Native filter({.capacity = capacity, .hash = hash});
  switch (loop) {
    case Loop::by_index:
      return std::make_unique<OurFilter<Native, Loop::by_index>>(std::move(filter));
    case Loop::view:
      return std::make_unique<OurFilter<Native, Loop::view>>(std::move(filter));
    case Loop::range_for:
      break;
  }
  return std::make_unique<OurFilter<Native>>(std::move(filter));
}

}  // namespace bloomery::bench
