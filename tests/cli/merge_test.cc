// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bloomery/store/native_file.h"
#include "tests/cli/shell.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::numbered_lines;
using testing::Outcome;
using testing::Shell;

class Merge : public ::testing::Test {
 protected:
  void make(const std::string& name, const std::string& options = "-n 200 -p 1e-9") const {
    EXPECT_EQ(shell_.run("bloomery create " + name + ".bloom " + options).status, 0);
    EXPECT_EQ(shell_.run("bloomery insert " + name + ".bloom", numbered_lines(name, 50)).status, 0);
  }

  Shell shell_;
};

TEST_F(Merge, HoldsTheKeysOfAll) {
  for (const char* name : {"a", "b", "c"}) make(name);
  const Outcome outcome = shell_.run("bloomery merge all.bloom a.bloom b.bloom c.bloom --json");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.json().at("merged_count"), 3);
  EXPECT_NEAR(outcome.json().at("inserted"), 150, 5);
  for (const char* name : {"a", "b", "c"}) {
    EXPECT_EQ(shell_.run("bloomery check all.bloom -c", numbered_lines(name, 50)).out, "50\n");
  }
  EXPECT_EQ(load(shell_.path("a.bloom")).inserted(), 50U) << "the parts stay as they were";
}

TEST_F(Merge, RefusesStrangersByName) {
  make("a");
  make("large", "-n 2000 -p 1e-9");
  make("seeded", "-n 200 -p 1e-9 --seed 1");
  make("secret", "-n 200 -p 1e-9 --secret");
  make("classic", "-n 200 -p 1e-9 --kind classic");
  for (const std::string other : {"large", "seeded", "secret", "classic"}) {
    const Outcome outcome = shell_.run("bloomery merge all.bloom a.bloom " + other + ".bloom");
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("a.bloom and " + other + ".bloom: cannot merge: "));
    EXPECT_FALSE(shell_.has("all.bloom"));
  }
}

TEST_F(Merge, LeavesAnExistingFileAlone) {
  make("a");
  make("b");
  const std::string before = shell_.read("a.bloom");
  EXPECT_EQ(shell_.run("bloomery merge a.bloom a.bloom b.bloom").status, 2);
  EXPECT_EQ(shell_.read("a.bloom"), before);
}

TEST_F(Merge, WaitsForAPartThatIsChangedInPlace) {
  for (const char* name : {"a", "b"}) make(name);
  const Outcome outcome = shell_.run(
      "mkfifo pipe\n"
      "bloomery insert a.bloom pipe --in-place >/dev/null &\n"
      "exec 3>pipe\n"  // returns when the first has the file
      "bloomery merge all.bloom a.bloom b.bloom --no-wait; echo $?\n"
      "bloomery merge all.bloom a.bloom b.bloom --wait 10ms; echo $?\n"
      "bloomery merge all.bloom a.bloom b.bloom >/dev/null 3>&- & merge=$!\n"
      "echo late >&3\n"
      "exec 3>&-\n"
      "wait $merge; echo $?\n"
      "echo late | bloomery check all.bloom\n");
  EXPECT_EQ(outcome.out, "2\n2\n0\nlate\n") << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("a.bloom: another process is writing this file"));
}

TEST_F(Merge, NeedsTwoFilters) {
  make("a");
  EXPECT_THAT(shell_.run("bloomery merge all.bloom a.bloom").err, HasSubstr("two filters or more"));
  EXPECT_EQ(shell_.run("bloomery merge all.bloom").status, 2);
  EXPECT_EQ(shell_.run("bloomery merge all.bloom a.bloom missing.bloom").status, 2);
  EXPECT_FALSE(shell_.has("all.bloom"));
}

}  // namespace
}  // namespace bloomery
