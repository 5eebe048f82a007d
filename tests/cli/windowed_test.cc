// SPDX-License-Identifier: Apache-2.0
// Filters that forget, from the command line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bloomery/filter/windowed_filter.h"
#include "bloomery/store/native_file.h"
#include "tests/cli/shell.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::numbered_lines;
using testing::Outcome;
using testing::Shell;

TEST(Windowed, CreateTakesATime) {
  const Shell shell;
  const Outcome made = shell.run(
      "bloomery create s.bloom -n 1000 -p 0.01 --kind windowed --window 24h --generations 6 "
      "--json");
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(made.json().at("window_ms"), 86'400'000);
  EXPECT_EQ(made.json().at("generation_count"), 6);
  EXPECT_EQ(made.json().at("retention_ms").at("most"), 100'800'000);
  EXPECT_LE(made.json().at("predicted_rate"), 0.01);
  const Window window = load(shell.path("s.bloom")).parameters().window;
  EXPECT_EQ(window, (Window{.length_ms = 86'400'000, .generations = 6}));
  EXPECT_THAT(shell.run("bloomery info s.bloom").out, HasSubstr("from 1d to 28h"));
}

TEST(Windowed, TheLastKeysAreInsertedCheckedAndDescribed) {
  const Shell shell;
  ASSERT_EQ(shell.run("bloomery create s.bloom -n 1000 -p 0.0001 --kind windowed").status, 0);
  const Outcome inserted =
      shell.run("bloomery insert s.bloom --json", numbered_lines("key", 4'000));
  EXPECT_EQ(inserted.status, 0) << inserted.err;
  EXPECT_EQ(inserted.err, "");
  EXPECT_EQ(shell.run("bloomery check s.bloom -q", "key3999\n").status, 0);
  EXPECT_EQ(shell.run("bloomery check s.bloom -q", "key3000\n").status, 0);
  EXPECT_EQ(shell.run("bloomery check s.bloom -q", "key2000\n").status, 1);
  const Outcome info = shell.run("bloomery info s.bloom --json");
  EXPECT_EQ(info.json().at("window_inserts"), 1'000);
  ASSERT_EQ(info.json().at("generations").size(), 5U);
  EXPECT_EQ(info.json().at("generations").at(1).at("age"), 1);
  EXPECT_NEAR(info.json().at("generations").at(1).at("cardinality"), 250, 10);
  EXPECT_THAT(shell.run("bloomery info s.bloom").out, HasSubstr("keys, the newest first"));
}

// A key that is not new moves to the newest generation, which must be on the disk.
TEST(Windowed, InsertsThatAreNotNewAreSaved) {
  const Shell shell;
  ASSERT_EQ(shell.run("bloomery create s.bloom -n 10 -p 1e-6 --kind windowed").status, 0);
  ASSERT_EQ(shell.run("bloomery insert s.bloom", "again\n").status, 0);
  for (int i = 0; i < 3; ++i) {
    const std::string others = numbered_lines("other" + std::to_string(i), 8);
    ASSERT_EQ(shell.run("bloomery insert s.bloom", others).status, 0);
    ASSERT_EQ(shell.run("bloomery insert s.bloom", "again\n").status, 1) << i;
  }
}

TEST(Windowed, ExplainNamesTheGeneration) {
  const Shell shell;
  ASSERT_EQ(shell.run("bloomery create s.bloom -n 100 -p 1e-6 --kind windowed").status, 0);
  ASSERT_EQ(shell.run("bloomery insert s.bloom", "alice\n" + numbered_lines("o", 30)).status, 0);
  const Outcome found = shell.run("bloomery explain s.bloom alice");
  EXPECT_EQ(found.status, 0);
  EXPECT_THAT(found.out, HasSubstr("all of its bits are set in generation 1"));
  const Outcome absent = shell.run("bloomery explain s.bloom bob --json");
  EXPECT_EQ(absent.status, 1);
  EXPECT_EQ(absent.json().at("probes").back().at("generation"), 4);
}

TEST(Windowed, MergesByTimeOnly) {
  const Shell shell;
  for (const char* name : {"a", "b"}) {
    const std::string file = name;
    ASSERT_EQ(
        shell.run("bloomery create " + file + " -n 100 -p 1e-6 --kind windowed --window 7d").status,
        0);
    ASSERT_EQ(shell.run("bloomery insert " + file, file + "-key\n").status, 0);
    ASSERT_EQ(shell.run("bloomery create " + file + "n -n 100 -p 1e-6 --kind windowed").status, 0);
  }
  EXPECT_EQ(shell.run("bloomery merge c a b").status, 0);
  EXPECT_EQ(shell.run("bloomery check c -c", "a-key\nb-key\nc-key\n").out, "2\n");
  const Outcome refused = shell.run("bloomery merge d an bn");
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("windows of time merge"));
}

TEST(Windowed, MisuseIsExplained) {
  const Shell shell;
  const auto refusal = [&](const std::string& options) {
    const Outcome outcome = shell.run("bloomery create f -n 10 -p 0.1 " + options);
    EXPECT_EQ(outcome.status, 2) << options;
    EXPECT_FALSE(shell.has("f"));
    return outcome.err;
  };
  EXPECT_THAT(refusal("--window 24h"), HasSubstr("only --kind windowed"));
  EXPECT_THAT(refusal("--generations 3 --kind classic"), HasSubstr("a classic filter"));
  EXPECT_THAT(refusal("--kind windowed --window 24"), HasSubstr("500ms, 90s"));
  EXPECT_THAT(refusal("--kind windowed --window 0s"), HasSubstr("from 1ms"));
  EXPECT_THAT(refusal("--kind windowed --window 101y"), HasSubstr("is not a duration"));
  EXPECT_THAT(refusal("--kind windowed --window 99999d"), HasSubstr("from 1ms to 36500d"));
  EXPECT_THAT(refusal("--kind windowed --generations 8"), HasSubstr("from 1 to 7"));
}

}  // namespace
}  // namespace bloomery
