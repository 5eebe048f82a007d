// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/store/native_file.h"
#include "tests/cli/shell.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::numbered_lines;
using testing::Outcome;
using testing::Shell;

TEST(Info, DrawsTheRateByTheLoad) {
  const Shell shell;
  shell.run("bloomery create one.bloom -n 1000 -p 0.01 --kind classic");
  shell.run("bloomery insert one.bloom", numbered_lines("key", 500));
  shell.run("bloomery create '<two>.bloom' -n 1000 -p 0.001");
  shell.run("bloomery create grown.bloom -n 1000 -p 0.001 --kind scalable");
  const Outcome outcome = shell.run("bloomery info one.bloom '<two>.bloom' --svg rate.svg");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Rate of a classic filter by its load, of the capacity\n"));
  EXPECT_THAT(outcome.out, HasSubstr("\n  now 0.5x "));
  EXPECT_THAT(shell.read("rate.svg"), HasSubstr(">&lt;two>.bloom</text>"));
  // A filter that grows has no such curve, and a picture of nothing is not made.
  const Outcome grown = shell.run("bloomery info grown.bloom --svg none.svg");
  EXPECT_EQ(grown.status, 2);
  EXPECT_THAT(grown.out, Not(HasSubstr("by its load")));
  EXPECT_FALSE(shell.has("none.svg"));
  const Outcome itself = shell.run("bloomery info one.bloom --svg ./one.bloom");
  EXPECT_EQ(itself.status, 2);
  EXPECT_EQ(itself.err, "bloomery: --svg: ./one.bloom is a filter that is asked about\n");
  EXPECT_EQ(shell.run("bloomery check -c one.bloom", numbered_lines("key", 500)).status, 0);
}

// Few new keys are counted where most are found by mistake; the bits know better.
TEST(Info, DrawsAnOverfilledFilterByItsBits) {
  const Shell shell;
  shell.run("bloomery create f.bloom -n 1000 -p 0.01");
  shell.run("bloomery insert f.bloom", numbered_lines("key", 8'000));
  const Outcome outcome = shell.run("bloomery info f.bloom");
  const double rate = shell.run("bloomery info f.bloom --json").json().at("predicted_rate");
  EXPECT_GT(rate, 0.8);
  const std::size_t bar = outcome.out.find("\n  now about ");
  ASSERT_NE(bar, std::string::npos) << outcome.out;
  std::istringstream line(outcome.out.substr(bar + 1, outcome.out.find('\n', bar + 1) - bar - 1));
  std::string word;
  std::string last;
  while (line >> word) last = word;
  EXPECT_NEAR(std::stod(last), rate, 0.001) << outcome.out;
}

TEST(Info, SaysAboutWhereAFigureStandsForAnUnknown) {
  const Shell shell;
  shell.run("seq 500 | bloomery load - guava:g.bin -n 991 -p 0.03 --as text");
  const Outcome outcome = shell.run("bloomery info guava:g.bin");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex("capacity +about [0-9]"));
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex("false positive rate +about 0.03"));
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex("cardinality +about [0-9]"));
}

TEST(Info, TellsWhatTheFilterSays) {
  const Shell shell;
  AnyFilter filter = make_filter(FilterKind::blocked, {.capacity = 500, .seed = 7});
  for (const char* key : {"a", "b", "c"}) filter.insert(key);
  save(filter, shell.path("f.bloom"),
       {.notes = {.watermark = 12, .note = "from the shop", .epoch = 3}});
  const Outcome outcome = shell.run("bloomery info f.bloom --json");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto json = outcome.json();
  EXPECT_EQ(json.at("kind"), "blocked");
  EXPECT_EQ(json.at("capacity"), 500);
  EXPECT_EQ(json.at("inserted"), 3);
  EXPECT_EQ(json.at("bit_count"), filter.geometry().bit_count);
  EXPECT_EQ(json.at("lines_per_key"), filter.geometry().lines_per_key);
  EXPECT_EQ(json.at("fill_ratio"), filter.fill_ratio());
  EXPECT_EQ(json.at("cardinality"), filter.cardinality());
  EXPECT_EQ(json.at("predicted_rate"), filter.predicted_rate());
  EXPECT_EQ(json.at("seed"), 7);
  EXPECT_EQ(json.at("epoch"), 3);
  EXPECT_EQ(json.at("watermark"), 12);
  EXPECT_EQ(json.at("note"), "from the shop");
  EXPECT_EQ(json.at("closed_cleanly"), true);
  EXPECT_EQ(json.at("checksums"), "verified");
  EXPECT_EQ(json.at("file_byte_count"), shell.read("f.bloom").size());
}

TEST(Info, IsReadByPeopleToo) {
  const Shell shell;
  ASSERT_EQ(shell.run("bloomery create f.bloom -n 500 -p 0.01").status, 0);
  const std::string text = shell.run("bloomery info f.bloom").out;
  EXPECT_THAT(text, HasSubstr("fill ratio"));
  EXPECT_THAT(text, HasSubstr("verified, 1 block"));
}

TEST(Info, DescribesADamagedFileAndFails) {
  const Shell shell;
  ASSERT_EQ(shell.run("bloomery create f.bloom -n 100K -p 0.01").status, 0);
  std::string bytes = shell.read("f.bloom");
  bytes[100'000] ^= 4;
  shell.write("f.bloom", bytes);
  const Outcome outcome = shell.run("bloomery info f.bloom --json");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.json().at("checksums"), "damaged");
  EXPECT_EQ(outcome.json().at("capacity"), 100'000);
  EXPECT_THAT(outcome.err, HasSubstr("f.bloom: "));
}

TEST(Info, RefusesWhatIsNoFilter) {
  const Shell shell;
  shell.write("empty", "");
  shell.write("text", numbered_lines("line ", 1'000));
  for (const char* file : {"empty", "text", ".", "missing", "/dev/null"}) {
    const Outcome outcome = shell.run(std::string("bloomery info ") + file);
    EXPECT_EQ(outcome.status, 2) << file;
    EXPECT_EQ(outcome.out, "") << file;
    EXPECT_THAT(outcome.err, HasSubstr(std::string("bloomery: ") + file + ": "));
  }
}

TEST(Info, DescribesSeveralFilesAndGoesOnAfterOneThatIsNone) {
  const Shell shell;
  shell.write("none.bloom", "no filter");
  const Outcome made = shell.run("for n in a b; do bloomery create $n.bloom -n 9 -p 0.1; done");
  ASSERT_EQ(made.status, 0) << made.err;
  const Outcome two = shell.run("bloomery info a.bloom b.bloom");
  EXPECT_EQ(two.status, 0) << two.err;
  EXPECT_EQ(two.out, shell.run("bloomery info a.bloom; echo; bloomery info b.bloom").out);
  const Outcome mixed = shell.run("bloomery info --json none.bloom b.bloom");
  EXPECT_EQ(mixed.status, 2);
  EXPECT_THAT(mixed.err, HasSubstr("none.bloom"));
  EXPECT_EQ(mixed.out, shell.run("bloomery info --json b.bloom").out);
}

}  // namespace
}  // namespace bloomery
