// SPDX-License-Identifier: Apache-2.0
// A filter that was moved from stays one that says "maybe" of every key.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/filter/blocked_filter.h"
#include "bloomery/filter/classic_filter.h"
#include "bloomery/filter/counting_filter.h"
#include "bloomery/filter/filter_kinds.h"
#include "bloomery/filter/owned_static_filter.h"
#include "bloomery/filter/scalable_filter.h"
#include "bloomery/filter/windowed_filter.h"
#include "tests/support/call_everything.h"

namespace bloomery {
namespace {

using testing::expect_maybe_of_all;
using testing::expect_moved_from_is_usable;

// Rates of one line a key and of two, and a filter that is mapped as large ones are.
const std::vector<FilterOptions>& sizes() {
  static const std::vector<FilterOptions> all{{.capacity = 1, .window = {.length_ms = 3'600'000}},
                                              {.capacity = 3'000, .false_positive_rate = 1e-7},
                                              {.capacity = 4'000'000}};
  return all;
}

template <class F>
F moved_filled(const FilterOptions& options, const std::vector<Key>& keys) {
  F filter(options);
  filter.insert_many(keys);
  return filter;
}

template <class F>
class MovedFrom : public ::testing::Test {};
using Kinds = ::testing::Types<BlockedFilter, ClassicFilter, CountingFilter, ClassicCountingFilter,
                               ScalableFilter, WindowedFilter>;
TYPED_TEST_SUITE(MovedFrom, Kinds);

TYPED_TEST(MovedFrom, SaysMaybeOfAllAndNeverCrashes) {
  for (const FilterOptions& options : sizes()) {
    expect_moved_from_is_usable(
        [&](const std::vector<Key>& keys) { return moved_filled<TypeParam>(options, keys); });
  }
}

TYPED_TEST(MovedFrom, SaysSoAsAnAnyFilter) {
  expect_moved_from_is_usable([&](const std::vector<Key>& keys) {
    return AnyFilter(moved_filled<TypeParam>({.capacity = 3'000}, keys));
  });
}

TYPED_TEST(MovedFrom, OutlivesWhatItsBitsWentTo) {
  TypeParam filter({.capacity = 3'000});
  filter.insert("alice");
  std::optional<TypeParam> taken(std::move(filter));
  taken.reset();
  expect_maybe_of_all(filter, {"alice", "bob"});
}

AnyFilter made(FilterKind kind, const std::vector<Key>& keys) {
  AnyFilter filter = make_filter(kind, {.capacity = 3'000});
  filter.insert_many(keys);
  return filter;
}

TEST(MovedFrom, SaysSoOfEveryKindThatIsChosenAtRunTime) {
  for (const Kind& kind : filter_kinds()) {
    if (kind.built_once) continue;
    expect_moved_from_is_usable(
        [&](const std::vector<Key>& keys) { return made(kind.number, keys); });
  }
}

TEST(MovedFrom, SaysSoOfStaticFilters) {
  for (const FilterKind kind : {FilterKind::fixed, FilterKind::fuse}) {
    const FilterParameters parameters = parameters_for(kind, {}, {.capacity = 1});
    std::vector<HashPair> hashes;
    const auto names = testing::texts(3'000, "member:");
    const std::vector<Key> keys = testing::keys_of(names);
    for (const Key key : keys) hashes.push_back(parameters.hash(key));
    auto first = std::make_unique<OwnedStaticFilter>(OwnedStaticFilter::build(parameters, hashes));
    auto second = std::make_unique<OwnedStaticFilter>(std::move(*first));
    second.reset();
    expect_maybe_of_all(*first, keys);
    testing::expect_consistent(*first);
    *first = OwnedStaticFilter::build(parameters, hashes);
    const OwnedStaticFilter third = std::move(*first);
    expect_maybe_of_all(*first, keys);
    for (const Key key : keys) ASSERT_TRUE(third.may_contain(key));
  }
}

}  // namespace
}  // namespace bloomery
