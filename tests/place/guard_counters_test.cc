// SPDX-License-Identifier: Apache-2.0
#include "bloomery/place/guard_counters.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/support/run_threads.h"

namespace bloomery {
namespace {

TEST(CounterBoard, LosesNoCountOfManyThreads) {
  CounterBoard board;
  run_threads(20, [&](int) {
    for (int i = 0; i < 1000; ++i) {
      board.add(&GuardCounters::filter_absents);
      board.add(&GuardCounters::loader_errors, 2);
    }
  });
  const GuardCounters counters = board.snapshot();
  EXPECT_EQ(counters.filter_absents, 20'000U);
  EXPECT_EQ(counters.loader_errors, 40'000U);
  EXPECT_EQ(counters.cache_hits, 0U);
}

TEST(GuardCounters, RequestsAreTheSumOfTheirOutcomes) {
  GuardCounters counters;
  counters.filter_absents = 1;
  counters.cache_hits = 10;
  counters.negative_hits = 100;
  counters.found = 1'000;
  counters.not_found = 10'000;
  counters.coalesced = 100'000;
  counters.shed = 1'000'000;
  counters.failed = 10'000'000;
  counters.aborted = 100'000'000;
  EXPECT_EQ(counters.requests(), 111'111'111U);
  counters.database_queries = counters.unknowns = counters.false_positives = 5;
  EXPECT_EQ(counters.requests(), 111'111'111U);
}

TEST(GuardCounters, AreWalkedWithTheirNames) {
  GuardCounters counters;
  counters.filter_absents = 1;
  counters.false_absents = 2;
  std::map<std::string, std::uint64_t> all;
  counters.for_each([&](std::string_view name, std::uint64_t value) { all.emplace(name, value); });
  EXPECT_EQ(all.size() * sizeof(std::uint64_t), sizeof counters);
  EXPECT_EQ(all.at("filter_absents"), 1U);
  EXPECT_EQ(all.at("false_absents"), 2U);
  EXPECT_EQ(all.at("shed"), 0U);
}

}  // namespace
}  // namespace bloomery
