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

// A shell with a filter f.bloom for 1,000 keys, rare to be wrong.
class Insert : public ::testing::Test {
 protected:
  Insert() { EXPECT_EQ(shell_.run("bloomery create f.bloom -n 1000 -p 1e-9").status, 0); }

  AnyFilter filter() const { return load(shell_.path("f.bloom")); }

  Shell shell_;
};

TEST_F(Insert, SaysHowManyKeysWereNew) {
  const Outcome first =
      shell_.run("bloomery insert f.bloom --json", numbered_lines("a", 20) + "a3\n");
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(first.json().at("key_count"), 21);
  EXPECT_EQ(first.json().at("new_count"), 20);
  EXPECT_EQ(first.json().at("inserted"), 20);
  EXPECT_EQ(first.json().at("capacity"), 1'000);

  const Outcome again = shell_.run("bloomery insert f.bloom --json", numbered_lines("a", 20));
  EXPECT_EQ(again.status, 1) << "none was new";
  EXPECT_EQ(again.json().at("new_count"), 0);
  EXPECT_EQ(filter().inserted(), 20U);
}

TEST_F(Insert, ReadsSeveralInputs) {
  shell_.write("a.txt", "a1\na2\n");
  shell_.write("b.txt", "b1");
  const Outcome outcome = shell_.run("bloomery insert f.bloom a.txt - b.txt --json", "c1\n");
  EXPECT_EQ(outcome.json().at("new_count"), 4);
  for (const char* key : {"a1", "a2", "b1", "c1"}) EXPECT_TRUE(filter().may_contain(key)) << key;
}

TEST_F(Insert, TakesAnyBytes) {
  shell_.write("binary", std::string("\xfe\xfd\1x\n\n\r\nno newline at the end"));
  EXPECT_EQ(shell_.run("bloomery insert f.bloom binary").status, 0);
  for (const Key key : {Key("\xfe\xfd\1x"), Key(""), Key("\r"), Key("no newline at the end")}) {
    EXPECT_TRUE(filter().may_contain(key));
  }
}

TEST_F(Insert, TakesLinesOfAHundredMegabytes) {
  const Outcome outcome = shell_.run(
      "{ head -c 100000000 /dev/zero | tr '\\0' x; echo; echo short; } >long.txt\n"
      "bloomery insert f.bloom long.txt --json && bloomery check f.bloom -c <long.txt >&2");
  EXPECT_EQ(outcome.json().at("new_count"), 2);
  EXPECT_EQ(outcome.err, "2\n");
}

TEST_F(Insert, KnowsRecordsFieldsAndEncodings) {
  EXPECT_EQ(shell_.run("bloomery insert f.bloom -0", std::string("a\nb\0c\0", 6)).status, 0);
  EXPECT_TRUE(filter().may_contain("a\nb"));
  EXPECT_TRUE(filter().may_contain("c"));
  EXPECT_EQ(shell_.run("bloomery insert f.bloom --field 2 -d ::", "1::two::3\n").status, 0);
  EXPECT_TRUE(filter().may_contain("two"));
  EXPECT_EQ(shell_.run("bloomery insert f.bloom -F 2", "1\tzwei\t3\n").status, 0);
  EXPECT_TRUE(filter().may_contain("zwei"));
  EXPECT_EQ(shell_.run("bloomery insert f.bloom -F 1 -d '\\t'", "eins\tzwei\n").status, 0);
  EXPECT_TRUE(filter().may_contain("eins")) << "as people write a tab";
  EXPECT_EQ(shell_.run("bloomery insert f.bloom -F 1 -d '\\x3b'", "drei;vier\n").status, 0);
  EXPECT_TRUE(filter().may_contain("drei"));
  EXPECT_EQ(shell_.run("bloomery insert f.bloom -F 2 --csv", "1,\"a, \"\"b\"\"\",3\r\n").status, 0);
  EXPECT_TRUE(filter().may_contain("a, \"b\""));
  EXPECT_EQ(shell_.run("bloomery insert f.bloom --as hex --insist", "00ff\n").status, 0);
  EXPECT_TRUE(filter().may_contain(Key("\x00\xff", 2)));
  EXPECT_EQ(shell_.run("bloomery insert f.bloom --as u64 --insist", "513\n").status, 0);
  EXPECT_TRUE(filter().may_contain(Key("\x01\x02\0\0\0\0\0\0", 8)));
}

TEST_F(Insert, NamesTheLineThatSpellsNoKeyAndInsertsNone) {
  shell_.write("ids.txt", "1\n2\nthree\n");
  const Outcome outcome = shell_.run("bloomery insert f.bloom ids.txt --as u64");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("ids.txt:3: \"three\""));
  EXPECT_EQ(filter().inserted(), 0U);
}

TEST_F(Insert, GoesOnBeyondTheCapacityAndTellsTheRate) {
  ASSERT_EQ(shell_.run("bloomery create g.bloom -n 100 -p 0.01").status, 0);
  const Outcome outcome = shell_.run("bloomery insert g.bloom --json", numbered_lines("k", 2'000));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_GT(outcome.json().at("inserted"), 100);
  EXPECT_GT(outcome.json().at("predicted_rate"), 0.01);
  EXPECT_THAT(outcome.err, HasSubstr("more than its capacity of 100; its rate is now "));
  const Outcome info = shell_.run("bloomery info g.bloom --json");
  EXPECT_EQ(info.json().at("predicted_rate"), outcome.json().at("predicted_rate"));
  EXPECT_THAT(info.err, HasSubstr("more than its capacity"));
  EXPECT_EQ(shell_.run("bloomery check g.bloom -v", numbered_lines("k", 2'000)).out, "");
}

// All bits of the filter are set: they tell of 513 keys or of any number more.
TEST_F(Insert, SaysAtLeastWhereTheBitsCannotTellMore) {
  ASSERT_EQ(shell_.run("bloomery create g.bloom -n 100 -p 0.01").status, 0);
  const Outcome outcome = shell_.run("seq 100000 | bloomery insert g.bloom");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("g.bloom holds at least "));
  EXPECT_THAT(outcome.err,
              HasSubstr("keys, far more than its capacity of 100; its rate is now 1 "));
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex("inserted +at least "));
  const Outcome info = shell_.run("bloomery info g.bloom");
  EXPECT_THAT(info.out, HasSubstr("cannot be told: 0 bits are clear"));
  const auto json = shell_.run("bloomery info g.bloom --json").json();
  EXPECT_TRUE(json.at("cardinality").is_null());
  EXPECT_EQ(json.at("inserted_is_least"), true);
  const auto other = shell_.run("bloomery info f.bloom --json").json();
  EXPECT_EQ(other.at("inserted_is_least"), false);
  EXPECT_EQ(other.at("cardinality"), 0);
}

TEST_F(Insert, InterruptedLeavesTheFileAsItWas) {
  const std::string before = shell_.read("f.bloom");
  for (const char* signal : {"INT", "TERM", "KILL"}) {
    const Outcome outcome = shell_.run(
        "mkfifo pipe\n"
        "env --default-signal=INT bloomery insert f.bloom pipe &\n"
        "exec 3>pipe\n"  // returns when the command has opened it
        "seq 5000 >&3\n"
        "kill -" +
        std::string(signal) +
        " $!\n"
        "wait $!\n"
        "test $? -gt 128 || echo not killed\n"
        "rm pipe\n");
    EXPECT_EQ(outcome.out, "") << signal;
    EXPECT_EQ(shell_.read("f.bloom"), before) << signal;
    EXPECT_EQ(shell_.run("ls -A").out, "f.bloom\n") << signal;
  }
  EXPECT_EQ(shell_.run("bloomery insert f.bloom", "a\n").status, 0) << "the lock is gone";
}

TEST_F(Insert, HasTheFileToItself) {
  const Outcome outcome = shell_.run(
      "mkfifo pipe\n"
      "bloomery insert f.bloom pipe >first &\n"
      "exec 3>pipe\n"
      "echo second | bloomery insert f.bloom --no-wait\n"
      "echo $?\n"
      "echo first >&3\n"
      "exec 3>&-\n"
      "wait $!\n"
      "echo $?\n");
  EXPECT_EQ(outcome.out, "2\n0\n");
  EXPECT_THAT(outcome.err, HasSubstr("f.bloom"));
  EXPECT_TRUE(filter().may_contain("first"));
  EXPECT_FALSE(filter().may_contain("second"));
}

TEST_F(Insert, KeepsTheOldFileWhereTheNewOneMayNotGrowSoLarge) {
  const std::string before = shell_.read("f.bloom");
  const Outcome outcome = shell_.run("ulimit -f 1; echo a | bloomery insert f.bloom");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("f.bloom"));
  EXPECT_EQ(shell_.read("f.bloom"), before);
  EXPECT_EQ(shell_.run("ls -A").out, "f.bloom\n");
}

TEST_F(Insert, NeverWritesItsReportIntoAFile) {
  const Outcome outcome = shell_.run("bloomery insert f.bloom >&-", "a\n");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("cannot write standard output"));
  EXPECT_TRUE(filter().may_contain("a"));
  EXPECT_EQ(shell_.run("bloomery insert f.bloom <&-").status, 2);
  EXPECT_EQ(shell_.run("echo b | bloomery insert f.bloom 2>&-").status, 0);
  EXPECT_TRUE(filter().may_contain("b"));
}

TEST_F(Insert, OfEightProcessesAtOnceLosesNoKey) {
  const Outcome outcome = shell_.run(
      "for i in 1 2 3 4 5 6 7 8; do\n"
      "  seq -f \"$i-%g\" 50 | bloomery insert f.bloom >/dev/null || echo status $? &\n"
      "done\n"
      "wait");
  EXPECT_EQ(outcome.out, "");
  for (int i = 1; i <= 8; ++i) {
    for (int n = 1; n <= 50; ++n) {
      EXPECT_TRUE(filter().may_contain(std::to_string(i) + "-" + std::to_string(n)));
    }
  }
}

TEST_F(Insert, WaitsNoLongerThanItIsTold) {
  const Outcome outcome = shell_.run(
      "mkfifo pipe\n"
      "bloomery insert f.bloom pipe >/dev/null &\n"
      "exec 3>pipe\n"  // returns when the first has the file
      "echo b | bloomery insert f.bloom --no-wait; echo $?\n"
      "echo b | bloomery insert f.bloom --wait 10ms; echo $?\n"
      "echo b | bloomery insert f.bloom --wait 10ms --no-wait 2>&1 | grep -c excludes\n"
      "echo a >&3\n"
      "exec 3>&-\n"
      "wait $!\n");
  EXPECT_EQ(outcome.out, "2\n2\n1\n");
  EXPECT_THAT(outcome.err, HasSubstr("f.bloom: another process is writing this file"));
  EXPECT_TRUE(filter().may_contain("a"));
  EXPECT_FALSE(filter().may_contain("b"));
}

// 3 MiB for a filter of 2: no second one fits.
TEST_F(Insert, SaysAtOnceThatASecondCopyDoesNotFit) {
  const std::string small = "unshare -rm sh -c 'mount -t tmpfs -o size=3m none full && ";
  if (shell_.run("mkdir full; " + small + "true'").status != 0) {
    GTEST_SKIP() << "no file system of its own: unshare and mount are not allowed here";
  }
  const Outcome outcome = shell_.run(
      small +
      "bloomery create full/f -n 1700000 -p 0.01 >/dev/null && sum full/f && ls -A full &&"
      "echo a >a && mkfifo pipe && { bloomery insert full/f pipe; echo $?; } &&"
      "sum full/f && ls -A full && bloomery insert full/f a --in-place --json'");
  const std::size_t half = outcome.out.find("2\n");
  ASSERT_NE(half, std::string::npos) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("full/f: a second copy of it does not fit beside it: 2,"));
  EXPECT_THAT(outcome.out, HasSubstr("\"new_count\": 1")) << "where it was refused, it fits so";
}

TEST_F(Insert, ChangesAFileInPlaceUnderAllItsNames) {
  const Outcome outcome =
      shell_.run("ln f.bloom other.bloom && bloomery insert f.bloom --in-place --json",
                 numbered_lines("a", 20));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.json().at("new_count"), 20);
  EXPECT_EQ(shell_.run("bloomery check -c other.bloom", numbered_lines("a", 20)).out, "20\n");
  EXPECT_EQ(shell_.run("bloomery insert f.bloom --in-place", "a1\n").status, 1);
  EXPECT_EQ(shell_.run("bloomery info f.bloom --json").json().at("inserted"), 20);
  // The keys before one that is none stay in, and the file is whole.
  EXPECT_EQ(shell_.run("bloomery insert f.bloom --in-place --as u64 --insist", "7\nx\n").status, 2);
  EXPECT_EQ(shell_.run("bloomery info f.bloom").status, 0);
}

TEST_F(Insert, RefusesInPlaceWhatCannotBe) {
  const std::pair<const char*, const char*> faults[] = {
      {"bloomery create s.bloom -n 9 -p 0.1 --kind scalable; bloomery insert s.bloom --in-place",
       "is a scalable filter; only blocked and classic"},
      {"bloomery create guava:g -n 9 -p 0.1; bloomery insert guava:g --in-place",
       "only files of our own"},
      {"bloomery insert f.bloom --in-place --as i32", "does not say that its keys are i32"},
      {"bloomery insert f.bloom --recover", "--in-place"},
  };
  for (const auto& [line, expected] : faults) {
    const Outcome outcome = shell_.run(line, "1\n");
    EXPECT_EQ(outcome.status, 2) << line;
    EXPECT_THAT(outcome.err, HasSubstr(expected)) << line;
  }
  EXPECT_EQ(filter().inserted(), 0U);
}

TEST_F(Insert, InPlaceThatWasKilledIsRefusedUntilItIsGivenItsKeysAgain) {
  ASSERT_EQ(shell_.run("bloomery insert f.bloom", numbered_lines("old", 50)).status, 0);
  const Outcome outcome = shell_.run(
      "mkfifo pipe\n"
      "bloomery insert f.bloom pipe --in-place &\n"
      "exec 3>pipe\n"
      "seq 500 >&3\n"
      "kill -KILL $!\n"
      "wait $!\n"
      "exec 3>&-\n"
      "echo old1 | bloomery check f.bloom; echo $?\n"
      "seq 500 | bloomery insert f.bloom --in-place; echo $?\n"
      "seq 500 | bloomery insert f.bloom --in-place --recover >/dev/null; test $? -le 1; echo $?\n"
      "seq 500 | bloomery check -c f.bloom\n");
  EXPECT_EQ(outcome.out, "2\n2\n0\n500\n");
  EXPECT_THAT(outcome.err, HasSubstr("not closed cleanly"));
  EXPECT_EQ(shell_.run("bloomery check -c f.bloom", numbered_lines("old", 50)).out, "50\n");
}

TEST_F(Insert, InPlaceThatIsInterruptedLeavesTheFileWhole) {
  ASSERT_EQ(shell_.run("bloomery insert f.bloom", numbered_lines("old", 50)).status, 0);
  for (const auto& [signal, status] : {std::pair("INT", 130), {"TERM", 143}, {"HUP", 129}}) {
    const Outcome outcome = shell_.run(
        "mkfifo pipe\n"
        "env --default-signal=INT bloomery insert f.bloom pipe --in-place &\n"
        "exec 3>pipe\n"
        "echo missing | bloomery check -v f.bloom; echo $?\n"  // it says so, and not "absent"
        "bloomery info f.bloom --json | grep -c '\"closed_cleanly\": false'\n"
        "seq 500 >&3\n"
        "kill -" +
        std::string(signal) +
        " $!; wait $!; echo $?\n"
        "rm pipe\n");
    EXPECT_EQ(outcome.out, "2\n1\n" + std::to_string(status) + "\n") << signal << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("a writer has it open"));
    EXPECT_THAT(outcome.err, HasSubstr("f.bloom: was closed at a signal"));
    EXPECT_EQ(shell_.run("bloomery check -c f.bloom", numbered_lines("old", 50)).out, "50\n");
  }
}

TEST_F(Insert, LeavesNoOtherNameOfAFileBehindUnasked) {
  const Outcome refused = shell_.run("ln f.bloom other.bloom; bloomery insert f.bloom", "a\n");
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("f.bloom: this file has 2 names (hard links)"));
  EXPECT_EQ(filter().inserted(), 0U);
  EXPECT_EQ(shell_.run("bloomery insert f.bloom --part-links", "a\n").status, 0);
  EXPECT_EQ(shell_.run("bloomery check -c f.bloom", "a\n").out, "1\n");
  EXPECT_EQ(shell_.run("bloomery check -c other.bloom", "a\n").out, "0\n");
  shell_.write("keys.txt", "a\n");
  const Outcome load =
      shell_.run("ln f.bloom third.bloom; bloomery load keys.txt f.bloom --replace");
  EXPECT_EQ(load.status, 0);
  EXPECT_THAT(load.err, HasSubstr("f.bloom: this file had 2 names (hard links); the others keep"));
}

TEST_F(Insert, TellsOfCarriageReturns) {
  const Outcome outcome = shell_.run("bloomery insert f.bloom", "a\r\nb\r\n");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("carriage return"));
}

TEST_F(Insert, RefusesWhatIsNoFilterOrNoInput) {
  shell_.write("keys.txt", "a\n");
  EXPECT_THAT(shell_.run("bloomery insert keys.txt keys.txt").err, HasSubstr("not a bloomery"));
  EXPECT_EQ(shell_.read("keys.txt"), "a\n");
  for (const char* arguments :
       {"missing.bloom keys.txt", ". keys.txt", "f.bloom missing.txt", "f.bloom .",
        "f.bloom keys.txt missing.txt", "f.bloom keys.txt --field 0", "f.bloom keys.txt -d ,",
        "f.bloom keys.txt --field 1 -d ''", "f.bloom keys.txt --as utf7", ""}) {
    EXPECT_EQ(shell_.run(std::string("bloomery insert ") + arguments).status, 2) << arguments;
  }
  EXPECT_EQ(filter().inserted(), 0U);
}

}  // namespace
}  // namespace bloomery
