// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/shell.h"

namespace bloomery {
namespace {

using testing::count_lines;
using ::testing::HasSubstr;
using testing::numbered_lines;
using testing::Outcome;
using testing::Shell;

TEST(DedupExact, DropsNoNewRecordHoweverBadTheFilter) {
  const Shell shell;
  const std::string lines = numbered_lines("key", 30'000);
  shell.write("a.txt", lines);
  const Outcome outcome = shell.run("bloomery dedup --exact -n 10 -p 0.5 --json a.txt a.txt");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(outcome.out == lines);
  const auto said = nlohmann::json::parse(outcome.err);
  EXPECT_EQ(said.at("key_count"), 60'000);
  EXPECT_EQ(said.at("printed_count"), 30'000);
  EXPECT_EQ(said.at("loss_bound"), 0);
  EXPECT_LT(shell.run("bloomery dedup -q -n 10 -p 0.5 a.txt").out.size(), lines.size())
      << "without --exact this filter drops some";
}

TEST(DedupExact, KeepsOnlyWhatMayRepeat) {
  const Shell shell;
  shell.write("a.txt", numbered_lines("key", 30'000) + numbered_lines("key", 100));
  const auto said = nlohmann::json::parse(shell.run("bloomery dedup --exact --json a.txt").err);
  EXPECT_GE(said.at("suspect_count"), 100);
  EXPECT_LE(said.at("suspect_count"), 160) << "30 of 30,000 at a rate of 0.001";
}

TEST(DedupExact, KnowsFieldsAndRecords) {
  const Shell shell;
  shell.write("t.csv", "1,a\n2,b\n3,a");
  EXPECT_EQ(shell.run("bloomery dedup --exact -F 2 -d , t.csv").out, "1,a\n2,b\n");
  EXPECT_EQ(shell.run("bloomery dedup --exact", "\n\na\n").out, "\na\n");
}

TEST(DedupExact, ReadsStandardInputFromWhereItStands) {
  const Shell shell;
  shell.write("a.txt", "title\nb\na\nb\n");
  EXPECT_EQ(shell.run("{ read title; bloomery dedup --exact; } <a.txt").out, "b\na\n");
  shell.write("b.txt", "a\nc\n");
  EXPECT_EQ(shell.run("bloomery dedup --exact b.txt - b.txt <a.txt").out, "a\nc\ntitle\nb\n");
  EXPECT_EQ(shell.run("bloomery dedup --exact - - <b.txt").out, "a\nc\n");
}

TEST(DedupExact, RefusesWhatCannotBeReadTwice) {
  const Shell shell;
  const Outcome pipe = shell.run("echo a | bloomery dedup --exact");
  EXPECT_EQ(pipe.status, 2);
  EXPECT_EQ(pipe.out, "");
  EXPECT_THAT(pipe.err, HasSubstr("standard input: is no regular file and cannot be read twice"));
  EXPECT_EQ(shell.run("mkfifo pipe; bloomery dedup --exact pipe").status, 2);
  EXPECT_EQ(shell.run("bloomery dedup --exact /dev/null").status, 2);
  const Outcome database = shell.run("bloomery dedup --exact 'sqlite:x.db?table=t&column=c'");
  EXPECT_EQ(database.status, 2);
  EXPECT_THAT(database.err, HasSubstr("SELECT DISTINCT"));
}

TEST(DedupExact, SaysThatAFileChanged) {
  const Shell shell;
  shell.write("a.txt", numbered_lines("key", 50'000));
  // The second pass waits at the full pipe while the file grows.
  const Outcome outcome = shell.run(
      "mkfifo pipe\n"
      "bloomery dedup --exact a.txt >pipe &\n"
      "exec 3<pipe\n"
      "head -c 1 <&3 >first\n"
      "echo more >>a.txt\n"
      "cat <&3 >rest\n"
      "wait $!\n"
      "echo $?\n");
  EXPECT_EQ(outcome.out, "2\n");
  EXPECT_THAT(outcome.err, HasSubstr("a.txt: changed while it was read"));
}

}  // namespace
}  // namespace bloomery
