// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bloomery/filter/filter_kinds.h"
#include "tests/cli/shell.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using testing::Shell;

TEST(Measure, FindsTheRateKeptForEveryPattern) {
  for (const char* pattern : {"random", "counter", "shifted", "uuid", "url"}) {
    for (const Kind& kind : filter_kinds()) {
      const Outcome outcome =
          Shell().run("bloomery measure -n 20K -p 0.01 --queries 200K --json" +
                      std::string(" --keys ") + pattern + " --kind " + std::string(kind.name));
      ASSERT_EQ(outcome.status, 0) << pattern << outcome.err;
      const auto json = outcome.json();
      EXPECT_EQ(json.at("keys"), pattern);
      // A static filter of so many keys is a fuse filter.
      EXPECT_EQ(json.at("kind"), kind.built_once ? "fuse" : kind.name);
      EXPECT_EQ(json.at("capacity"), 20'000);
      EXPECT_EQ(json.at("query_count"), 200'000);
      EXPECT_EQ(json.at("rate_kept"), true);
      const double measured = json.at("measured_rate");
      EXPECT_NEAR(measured, json.at("predicted_rate").get<double>(), 0.001) << pattern;
      EXPECT_DOUBLE_EQ(measured, json.at("positive_count").get<double>() / 200'000);
      EXPECT_LT(json.at("measured_rate_low"), measured);
      EXPECT_GT(json.at("measured_rate_high"), measured);
      EXPECT_GT(json.at("insert_ns_per_key"), 0);
      EXPECT_GT(json.at("may_contain_ns_per_key"), 0);
    }
  }
}

// 9.5 MiB are mapped; whether in huge pages is the kernel's to say.
TEST(Measure, SaysHowMuchOfTheFilterIsInHugePages) {
  const auto large = Shell().run("bloomery measure -n 8M -p 0.01 --queries 1K --json").json();
  EXPECT_LE(large.at("huge_page_byte_count"), large.at("byte_count"));
  const auto small = Shell().run("bloomery measure -n 1K -p 0.01 --queries 1K --json").json();
  EXPECT_LE(small.at("huge_page_byte_count"), small.at("byte_count"));
  const std::string text = Shell().run("bloomery measure -n 8M -p 0.01 --queries 1K").out;
  EXPECT_THAT(text, HasSubstr("huge page byte count"));
  EXPECT_THAT(text, HasSubstr(" % of the filter"));
}

TEST(Measure, AsksEnoughByDefault) {
  const auto json = Shell().run("bloomery measure -n 1 -p 0.001 --json").json();
  EXPECT_EQ(json.at("query_count"), 2'000'000);
  EXPECT_EQ(json.at("rate_kept"), true);
}

TEST(Measure, RefusesWhatCannotBe) {
  const auto refusal = [](const std::string& arguments) {
    const Outcome outcome = Shell().run("bloomery measure " + arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    return outcome.err;
  };
  EXPECT_THAT(refusal("-n 10 -p 0.1 --keys emoji"), HasSubstr("random, counter, shifted, uuid"));
  EXPECT_THAT(refusal("-n 10 -p 0.1 --queries 0"), HasSubstr("--queries"));
  EXPECT_THAT(refusal("-n 10 -p 0.1 --queries 18446744073709551615"), HasSubstr("not as many"));
  EXPECT_THAT(refusal("-n 1e15 -p 0.01"), HasSubstr("this machine has"));
  refusal("-n 10");
  refusal("-p 0.1");
}

}  // namespace
}  // namespace bloomery
