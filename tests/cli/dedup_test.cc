// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <unordered_set>

#include "tests/cli/shell.h"

namespace bloomery {
namespace {

using testing::count_lines;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::numbered_lines;
using testing::Outcome;
using testing::Shell;

nlohmann::json report(const Outcome& outcome) {
  return nlohmann::json::parse(outcome.err);
}

TEST(Dedup, PrintsEachRecordTheFirstTime) {
  const Outcome outcome = Shell().run("bloomery dedup", "b\na\nb\n\nc\na\n\n");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, "b\na\n\nc\n");
  EXPECT_THAT(outcome.err, HasSubstr("7 read, 4 printed, 3 dropped as repeated"));
  EXPECT_EQ(count_lines(outcome.err), 1U);
}

TEST(Dedup, AgreesWithAnExactModelOnRandomStreams) {
  std::mt19937_64 random(2026);
  for (const std::size_t distinct : {1U, 7U, 300U, 20'000U}) {
    std::string input;
    std::string expected;
    std::unordered_set<std::string> seen;
    for (int i = 0; i < 30'000; ++i) {
      // Lengths from 0 to 40, and longer lines than a block of the output now and then.
      const std::uint64_t key = random() % distinct;
      std::string line(key * 0x9e3779b97f4a7c15 >> 59, 'x');
      line += key % 7 == 0 ? "" : std::to_string(key);
      if (key % 5'000 == 4'999) line += std::string(70'000, 'y');
      input += line + '\n';
      if (seen.insert(line).second) expected += line + '\n';
    }
    const Shell shell;
    shell.write("input", input);
    const Outcome file = shell.run("bloomery dedup -p 1e-12 input");
    EXPECT_TRUE(file.out == expected) << distinct;
    const Outcome pipe = shell.run("cat input | bloomery dedup -n 20000 -p 1e-12");
    EXPECT_TRUE(pipe.out == expected) << distinct;
    const Outcome exact = shell.run("bloomery dedup --exact -n 10 -p 0.5 input");
    EXPECT_TRUE(exact.out == expected) << distinct;
  }
}

TEST(Dedup, KeepsRecordsByteForByte) {
  const std::string lines("\xfe\xfd\1x\n\xfe\xfd\1y\n\xfe\xfd\1x\na\r\n", 18);
  EXPECT_EQ(Shell().run("bloomery dedup", lines).out, lines.substr(0, 10) + "a\r\n");
  const std::string records("a\nb\0c\0a\nb\0", 10);
  EXPECT_EQ(Shell().run("bloomery dedup -0", records).out, records.substr(0, 6));
}

TEST(Dedup, EndsTheLastRecordToo) {
  EXPECT_EQ(Shell().run("bloomery dedup", "a\nb").out, "a\nb\n");
  EXPECT_EQ(Shell().run("bloomery dedup", "a\nb\na").out, "a\nb\n");
  EXPECT_EQ(Shell().run("bloomery dedup -0", "a").out, std::string("a\0", 2));
  const Shell shell;
  shell.write("a.txt", "1\n2");
  shell.write("b.txt", "2\n3");
  EXPECT_EQ(shell.run("bloomery dedup a.txt - b.txt", "0\n1").out, "1\n2\n0\n3\n");
}

TEST(Dedup, TakesLinesOfAHundredMegabytes) {
  const Outcome outcome = Shell().run(
      "{ head -c 100000000 /dev/zero | tr '\\0' x; echo; echo short; } >long.txt\n"
      "bloomery dedup long.txt long.txt >out && cmp out long.txt");
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_THAT(outcome.err, HasSubstr("4 read, 2 printed"));
}

TEST(Dedup, PrintsWholeRecordsWhoseKeyIsAField) {
  const std::string table = "1,a,x\n2,b,y\n3,a,z\n";
  EXPECT_EQ(Shell().run("bloomery dedup -F 2 -d ,", table).out, "1,a,x\n2,b,y\n");
  EXPECT_EQ(Shell().run("bloomery dedup --as u64", "1\n01\n2\n").out, "1\n2\n");
}

TEST(Dedup, PrintsWhatCameBeforeARecordThatSpellsNoKey) {
  const Outcome outcome =
      Shell().run("bloomery dedup --as u64 --state s.bloom; ls", "1\n2\nx\n3\n");
  EXPECT_EQ(outcome.out, "1\n2\n") << "and no state";
  EXPECT_THAT(outcome.err, HasSubstr("standard input:3: \"x\""));
}

TEST(Dedup, ReadsDatabases) {
  const Shell shell;
  ASSERT_EQ(
      shell.run("sqlite3 shop.db 'create table t(k); insert into t values (3),(1),(3),(null)'")
          .status,
      0);
  const Outcome outcome = shell.run("bloomery dedup --json 'sqlite:shop.db?table=t&column=k'");
  EXPECT_EQ(outcome.out, "3\n1\n");
  EXPECT_EQ(report(outcome).at("null_count"), 1);
}

TEST(Dedup, IsSizedForTheRecordsOfFiles) {
  const Shell shell;
  shell.write("a.txt", numbered_lines("a", 3'000));
  shell.write("b.txt", numbered_lines("b", 2'000));
  EXPECT_EQ(report(shell.run("bloomery dedup --json a.txt b.txt")).at("capacity"), 5'000);
  EXPECT_EQ(report(shell.run("bloomery dedup --json <a.txt")).at("capacity"), 3'000);
  EXPECT_EQ(report(shell.run("cat a.txt | bloomery dedup --json")).at("capacity"), 10'000'000);
  EXPECT_EQ(report(shell.run("bloomery dedup --json -n 77 a.txt")).at("capacity"), 77);
  EXPECT_EQ(report(shell.run("bloomery dedup --json a.txt")).at("false_positive_rate"), 1e-6);
}

TEST(Dedup, DoesNotDisturbAPipeThatHasAName) {
  const Outcome outcome = Shell().run(
      "mkfifo pipe\n"
      "{ seq 10; seq 20; } >pipe &\n"
      "bloomery dedup -q pipe | wc -l\n");
  EXPECT_EQ(outcome.out, "20\n");
}

TEST(Dedup, HandsOnWhatASlowPipeGives) {
  const Outcome outcome = Shell().run(
      "mkfifo in out\n"
      "bloomery dedup -q in >out &\n"
      "exec 4<out\n"
      "exec 3>in\n"
      "echo a >&3\n"
      "read line <&4\n"  // would wait for ever if the record were kept back
      "echo got $line\n");
  EXPECT_EQ(outcome.out, "got a\n");
}

TEST(Dedup, GoesOnBeyondItsSizeAndTellsTheRate) {
  const Outcome outcome = Shell().run("bloomery dedup -n 100 -p 0.01", numbered_lines("k", 5'000));
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("share of the new records than the 0.01 allowed"));
  EXPECT_GT(count_lines(outcome.out), 100U);
  EXPECT_THAT(outcome.err, HasSubstr("more than the 100 it was sized for"));
  EXPECT_THAT(outcome.err, HasSubstr("a larger -n"));
  EXPECT_THAT(Shell().run("bloomery dedup -n 5000", numbered_lines("k", 5'000)).err,
              Not(HasSubstr("sized for")));
}

TEST(Dedup, TellsHowManyNewRecordsItMayHaveDropped) {
  // All are different, so every one that is missing was lost.
  const Outcome outcome =
      Shell().run("bloomery dedup --json -n 20000 -p 0.1", numbered_lines("k", 40'000));
  const auto said = report(outcome);
  const auto lost = static_cast<double>(40'000 - count_lines(outcome.out));
  EXPECT_EQ(said.at("dropped_count"), 40'000 - count_lines(outcome.out));
  EXPECT_NEAR(said.at("expected_loss").get<double>(), lost, 0.1 * lost);
  EXPECT_GE(said.at("loss_bound").get<double>(), lost);
  EXPECT_LE(said.at("loss_bound").get<double>(), 1.2 * lost);
  EXPECT_EQ(said.at("loss_confidence"), 0.999);
}

TEST(Dedup, BoundsItsLossWhateverTheKind) {
  for (const char* kind : {"blocked", "classic", "counting", "scalable", "windowed"}) {
    const std::string dedup = "bloomery dedup --json -n 4000 -p 0.02 --kind " + std::string(kind);
    for (const std::size_t records : {4'000U, 20'000U}) {
      // Each comes twice, so that what was dropped does not tell by itself what was lost.
      const Outcome outcome =
          Shell().run("awk '{print; print}' | " + dedup, numbered_lines("k", records));
      const auto said = report(outcome);
      const auto lost = static_cast<double>(records - count_lines(outcome.out));
      EXPECT_GE(said.at("loss_bound").get<double>(), lost) << kind;
      EXPECT_LE(said.at("loss_bound").get<double>(), 8 * lost + 60) << kind;
      EXPECT_NEAR(said.at("expected_loss").get<double>(), lost, 0.3 * lost + 10) << kind;
      // Kinds that grow or forget keep their rate however many keys come. The others report that
      // they did not keep it.
      const bool has_fixed_size =
          std::string(kind) != "scalable" && std::string(kind) != "windowed";
      EXPECT_EQ(outcome.status, has_fixed_size && records > 4'000 ? 3 : 0) << kind << records;
    }
  }
}

TEST(Dedup, OfAPipeGrowsWithWhatComes) {
  const Shell shell;
  const Outcome outcome =
      shell.run("seq 300000 | bloomery dedup --json -n 1000 -p 1e-4 --kind scalable | wc -l");
  EXPECT_GE(std::stoi(outcome.out), 300'000 - 30);
  const auto unsized = report(shell.run("echo a | bloomery dedup --json --state s.bloom"));
  EXPECT_EQ(unsized.at("false_positive_rate"), 1e-6);
  EXPECT_EQ(shell.run("bloomery info s.bloom --json").json().at("kind"), "scalable");
  shell.write("a.txt", "a\n");
  ASSERT_EQ(shell.run("bloomery dedup --state t.bloom -n 10 a.txt").status, 0);
  EXPECT_EQ(shell.run("bloomery info t.bloom --json").json().at("kind"), "blocked");
}

TEST(Dedup, SaysNothingWhenToldTo) {
  const Outcome outcome = Shell().run("bloomery dedup -q -n 10", numbered_lines("k", 1'000));
  EXPECT_EQ(outcome.err, "");
  EXPECT_GT(count_lines(outcome.out), 10U);
}

TEST(Dedup, EndsWithStatusOneWhereNothingWasPrinted) {
  EXPECT_EQ(Shell().run("bloomery dedup").status, 1);
  EXPECT_EQ(Shell().run("bloomery dedup --exact").status, 1);
  EXPECT_EQ(Shell().run("bloomery dedup", "\n").status, 0);
}

TEST(Dedup, SaysThatOutputCannotBeWritten) {
  for (const char* mode : {"", "--exact", "--state s.bloom"}) {
    const Shell shell;
    const Outcome outcome =
        shell.run(std::string("bloomery dedup >/dev/full ") + mode, numbered_lines("k", 50'000));
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("standard output: No space left"));
    EXPECT_FALSE(shell.has("s.bloom"));
  }
}

TEST(Dedup, EndsQuietlyWhenItsReaderHasGone) {
  const Outcome outcome = Shell().run("seq 1000000 | bloomery dedup | head -n 1");
  EXPECT_EQ(outcome.out, "1\n");
  EXPECT_EQ(outcome.err, "");
}

TEST(Dedup, RefusesWhatItCannotDo) {
  const Shell shell;
  shell.write("keys.txt", "a\n");
  for (const char* arguments :
       {"-n 0", "-p 0", "-p 1", "-p nan", "-n -1", "missing.txt", ".", "keys.txt missing.txt",
        "--exact --state s.bloom keys.txt", "--state keys.txt keys.txt", "--state . keys.txt",
        "--state none/s.bloom keys.txt", "-n 1e15 keys.txt", "--field 0 keys.txt", "--kind cuckoo",
        "--exact missing.txt", "--exact ."}) {
    const Outcome outcome = shell.run(std::string("bloomery dedup ") + arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_THAT(outcome.err, HasSubstr("bloomery: ")) << arguments;
  }
  EXPECT_THAT(shell.run("bloomery dedup -n 1e15").err, HasSubstr("-n says how many"));
  EXPECT_EQ(shell.read("keys.txt"), "a\n");
}

}  // namespace
}  // namespace bloomery
