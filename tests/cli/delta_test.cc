// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/shell.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::numbered_lines;
using testing::Outcome;
using testing::Shell;

class Delta : public ::testing::Test {
 protected:
  Delta() {
    shell_.run("bloomery create monday.bloom -n 100000");
    shell_.run("bloomery insert monday.bloom", numbered_lines("old", 500));
    shell_.run("cp monday.bloom tuesday.bloom; cp monday.bloom copy.bloom");
    shell_.run("bloomery insert tuesday.bloom", numbered_lines("new", 1000));
  }

  Shell shell_;
};

TEST_F(Delta, OfOneDayMakesItTheNext) {
  EXPECT_EQ(shell_.run("bloomery delta monday.bloom tuesday.bloom >d").status, 0);
  EXPECT_LE(shell_.read("d").size(), 20000U);
  const Outcome first = shell_.run("bloomery patch copy.bloom d --json");
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(first.json().at("changed"), true);
  EXPECT_EQ(shell_.read("copy.bloom"), shell_.read("tuesday.bloom"));
  EXPECT_EQ(shell_.run("bloomery check copy.bloom -c", numbered_lines("new", 1000)).out, "1000\n");
  const Outcome again = shell_.run("gzip <d | bloomery patch copy.bloom");
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("no, it is that version already"));
}

TEST_F(Delta, IsRefusedByAnotherFile) {
  shell_.run("bloomery delta monday.bloom tuesday.bloom >d; echo key | bloomery insert copy.bloom");
  const std::string before = shell_.read("copy.bloom");
  const Outcome refused = shell_.run("bloomery patch copy.bloom d");
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("copy.bloom: is not the file that the delta leads from"));
  EXPECT_EQ(shell_.read("copy.bloom"), before);
}

TEST_F(Delta, IsRefusedCutOrTooLong) {
  shell_.run("bloomery delta monday.bloom tuesday.bloom >d");
  for (const char* line :
       {"head -c -1 d >x", "head -c 50 d >x", ": >x", "(cat d; echo) >x", "echo text >x",
        "cp tuesday.bloom x", "cat d d d d d >x", "head -c 5000000 /dev/zero >x"}) {
    shell_.run(line);
    const Outcome refused = shell_.run("bloomery patch copy.bloom x");
    EXPECT_EQ(refused.status, 2) << line;
    EXPECT_THAT(refused.err, HasSubstr("not a delta of")) << line;
    EXPECT_EQ(shell_.read("copy.bloom"), shell_.read("monday.bloom")) << line;
  }
  EXPECT_EQ(shell_.run("bloomery patch copy.bloom none").status, 2);
}

TEST_F(Delta, IsOfTwoVersionsOfOneFilterOnly) {
  shell_.run("bloomery create large.bloom -n 200000");
  const Outcome grown = shell_.run("bloomery delta monday.bloom large.bloom");
  EXPECT_EQ(grown.status, 2);
  EXPECT_THAT(grown.err, HasSubstr("no delta leads from monday.bloom to large.bloom: the filters "
                                   "have bit counts"));
  EXPECT_THAT(shell_.run("bloomery delta monday.bloom guava:g").err,
              HasSubstr("deltas are of files of our own"));
  EXPECT_THAT(shell_.run("bloomery patch bitmap:redis://127.0.0.1:1#k d").err,
              HasSubstr("deltas are of files of our own"));
}

TEST_F(Delta, IsRefusedBackwards) {
  const Outcome refused = shell_.run("bloomery delta tuesday.bloom monday.bloom | wc -c");
  EXPECT_EQ(refused.out, "0\n");
  EXPECT_THAT(refused.err, HasSubstr("no delta leads from tuesday.bloom to monday.bloom: "
                                     "monday.bloom lacks bits that tuesday.bloom has"));
  EXPECT_EQ(shell_.run("bloomery delta tuesday.bloom monday.bloom >d").status, 2);
  EXPECT_EQ(shell_.run("bloomery patch copy.bloom d").status, 2);
}

TEST_F(Delta, MindsWritersAndOtherNames) {
  shell_.run("bloomery delta monday.bloom tuesday.bloom >d; ln copy.bloom other.bloom");
  EXPECT_THAT(shell_.run("bloomery patch copy.bloom d").err, HasSubstr("--part-links"));
  shell_.run("rm other.bloom");
  const Outcome outcome = shell_.run(
      "mkfifo pipe\n"
      "bloomery insert copy.bloom pipe --in-place >/dev/null &\n"
      "exec 3>pipe\n"  // returns when the first has the file
      "bloomery patch copy.bloom d --no-wait; echo $?\n"
      "bloomery delta copy.bloom tuesday.bloom >x; echo $?\n"
      "exec 3>&-\n"
      "wait; bloomery patch copy.bloom d >/dev/null; echo $?\n");
  EXPECT_EQ(outcome.out, "2\n2\n0\n") << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("another process is writing this file"));
  EXPECT_EQ(shell_.read("copy.bloom"), shell_.read("tuesday.bloom"));
}

}  // namespace
}  // namespace bloomery
