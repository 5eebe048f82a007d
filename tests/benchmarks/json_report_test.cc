#include "benchmarks/json_report.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tests/benchmarks/sample_report.h"

namespace bloomery::bench {
namespace {

using nlohmann::json;

TEST(JsonReport, ComesBackAsItWasWritten) {
  const Report report = sample_report();
  const Report back = from_json(to_json(report));
  // Every field that is read is written again.
  EXPECT_EQ(to_json(back), to_json(report));
  EXPECT_EQ(back.machine.description(), report.machine.description());
  ASSERT_EQ(back.sizes.size(), 1);
  ASSERT_EQ(back.sizes[0].rows.size(), 5);
  EXPECT_EQ(back.sizes[0].rows[2].verdict, Verdict::exceeds_rate);
  EXPECT_EQ(back.sizes[0].rows[4].note, report.sizes[0].rows[4].note);
  EXPECT_EQ(back.sizes[0].rows[0].timing(Operation::absent_batch)->wall_ns, 9.5);
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
  EXPECT_NO_THROW(from_json(to_json(report)));
}

TEST(JsonReport, RefusesOtherTexts) {
  for (const char* text : {"", "{", "[]", "{\"machine\": 1}"}) {
    EXPECT_THROW(from_json(text), std::runtime_error) << text;
  }
  json all = json::parse(to_json(sample_report()));
  all["speed"][0]["rows"][0]["verdict"] = "fast";
  EXPECT_THROW(from_json(all.dump()), std::runtime_error);
}

TEST(Today, IsADate) {
  EXPECT_THAT(today(), testing::MatchesRegex("20[0-9][0-9]-[01][0-9]-[0-3][0-9]"));
}

}  // namespace
}  // namespace bloomery::bench
