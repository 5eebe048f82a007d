// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <stdexcept>

#include "bloomery/source/open_source.h"
#include "cli/demo/live_scene.h"
#include "cli/demo/stampede.h"
#include "cli/demo/traffic.h"
#include "cli/demo/word_database.h"
#include "tests/source/temporary_folder.h"

namespace bloomery::cli {
namespace {

// A filter that lost every key.
class Forgetful final : public FilterPlace {
 public:
  std::string name() const override { return "forgetful"; }
  void ask(std::span<const Key>, std::span<Presence> answers, Proofs&,
           const CallContext&) override {
    for (Presence& answer : answers) answer = Presence::absent;
  }
  void insert_many(std::span<const Key>, std::span<Inserted>, const CallContext&) override {}
  PlaceHead head(const CallContext&) override { return {}; }
};

class DemoTraffic : public ::testing::Test {
 protected:
  TrafficResult run(FilterPlace& filter, const std::vector<Request>& requests) {
    return run_traffic(filter, table_, {.text = true}, requests, options_, [](std::uint64_t) {});
  }

  TemporaryFolder folder_;
  DatabaseTable table_ = fill_word_database(
      folder_.path("words.db"), *open_source(folder_.write("list", "one\ntwo\ntwo\nthree\n"), {}),
      [](std::uint64_t) {});
  NoFilter no_filter_;
  TrafficOptions options_{
      .is_value_of = [](Key key, const std::string& value) { return value == reversed_word(key); }};
};

TEST_F(DemoTraffic, FindsEveryRowAndAsksForEveryAbsentKey) {
  const auto result =
      run(no_filter_, {{"one", true}, {"x", false}, {"two", true}, {"y", false}, {"three", true}});
  EXPECT_EQ(result.counters.found, 3U);
  EXPECT_EQ(result.counters.not_found, 2U);
  EXPECT_EQ(result.absent_queries, 2U);
  EXPECT_EQ(result.denied_count, 0U);
  EXPECT_EQ(result.gone_count, 0U);
}

TEST_F(DemoTraffic, CountsEveryRealKeyThatAFilterDenies) {
  Forgetful filter;
  const auto result = run(filter, {{"one", true}, {"x", false}, {"two", true}, {"one", true}});
  EXPECT_EQ(result.denied_count, 3U);
  EXPECT_EQ(result.gone_count, 0U);
  EXPECT_EQ(result.counters.database_queries, 0U);
}

TEST_F(DemoTraffic, CountsAnothersValueAsDenied) {
  options_.is_value_of = [](Key key, const std::string& value) { return value == key; };
  EXPECT_EQ(run(no_filter_, {{"one", true}, {"two", true}}).denied_count, 2U);
}

TEST_F(DemoTraffic, TellsADeletedRowFromADeniedOne) {
  const auto result = run(no_filter_, {{"deleted", true}, {"one", true}, {"x", false}});
  EXPECT_EQ(result.denied_count, 0U);
  EXPECT_EQ(result.gone_count, 1U);
  EXPECT_EQ(result.absent_queries, 1U);
}

TEST_F(DemoTraffic, RefusesAFloodThatExists) {
  EXPECT_THROW(run(no_filter_, {{"x", false}, {"one", false}}), std::invalid_argument);
}

TEST_F(DemoTraffic, CountsRowsThatAFilterDeniesWhileOthersAreInserted) {
  BlockedFilter filter({.capacity = 3});
  const FilterParameters parameters = filter.parameters();
  MemoryPlace place(std::move(filter));
  place.ready();  // which it is not
  const std::vector<std::string> real{"one", "two", "three"};
  EXPECT_GT(run_live_scene(place, table_, {.text = true}, real, parameters).denied_count, 0U);
  // The filter that was made of the table has them.
  EXPECT_EQ(run_live_scene(place, table_, {.text = true}, real, parameters).denied_count, 0U);
}

TEST_F(DemoTraffic, AsksOnceForAStampede) {
  const Stampede stampede = run_stampede(table_);
  EXPECT_EQ(stampede.single_flight.queries, 1U);
  EXPECT_GE(stampede.cache_alone.queries, 1U);
}

}  // namespace
}  // namespace bloomery::cli
