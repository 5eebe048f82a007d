// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/json_report.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "benchmarks/text_file.h"
#include "tests/benchmarks/sample_report.h"

namespace bloomery::bench {
namespace {

using nlohmann::json;

// draw_test.py draws this file.
TEST(JsonReport, WritesWhatIsDrawn) {
  EXPECT_EQ(to_json(sample_report()), read_text("benchmarks/sample_figures.json"));
}

TEST(JsonReport, NamesTheMachine) {
  Report report;
  report.machine = this_machine();
  const json machine = json::parse(to_json(report)).at("machine");
  for (const char* field :
       {"processor", "caches", "system", "transparent_huge_pages", "compiler", "filter_kernel"}) {
    EXPECT_NE(machine.at(field).get<std::string>(), "") << field;
  }
  EXPECT_GT(machine.at("processors").get<int>(), 0);
  EXPECT_GT(machine.at("memory_bytes").get<double>(), 1e6);
}

TEST(JsonReport, WritesWordsThatAreNotUtf8) {
  Report report = sample_report();
  report.sizes[0].rows[4].note = "failed: \xff";
  EXPECT_TRUE(json::accept(to_json(report)));
}

TEST(Today, IsADate) {
  EXPECT_THAT(today(), testing::MatchesRegex("20[0-9][0-9]-[01][0-9]-[0-3][0-9]"));
}

}  // namespace
}  // namespace bloomery::bench
