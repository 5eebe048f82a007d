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

// a.bloom holds a0 to a99, b.bloom b0 to b99; both are rarely wrong.
class Check : public ::testing::Test {
 protected:
  Check() {
    for (const std::string name : {"a", "b"}) {
      const std::string file = name + ".bloom";
      EXPECT_EQ(shell_.run("bloomery create " + file + " -n 100 -p 1e-9").status, 0);
      EXPECT_EQ(shell_.run("bloomery insert " + file, numbered_lines(name, 100)).status, 0);
    }
  }

  Shell shell_;
};

TEST_F(Check, PrintsTheRecordsThatMayBePresent) {
  const Outcome some = shell_.run("bloomery check a.bloom", "a7\nb7\na8\n");
  EXPECT_EQ(some.out, "a7\na8\n");
  EXPECT_EQ(some.status, 0);
  const Outcome none = shell_.run("bloomery check a.bloom", "b7\nx");
  EXPECT_EQ(none.out, "");
  EXPECT_EQ(none.status, 1);
  EXPECT_EQ(shell_.run("bloomery check a.bloom", "").status, 1);
}

TEST_F(Check, PrintsTheSurelyAbsent) {
  const Outcome some = shell_.run("bloomery check a.bloom -v", "a7\nb7\nno newline");
  EXPECT_EQ(some.out, "b7\nno newline\n");
  EXPECT_EQ(some.status, 0);
  EXPECT_EQ(shell_.run("bloomery check a.bloom -v", "a7\n").status, 1);
}

TEST_F(Check, TakesKeysFromTheCommandLine) {
  EXPECT_EQ(shell_.run("bloomery check a.bloom -e a7 -e zed --key=a8", "a9\n").out, "a7\na8\n");
  EXPECT_EQ(shell_.run("bloomery check -v -e a7 -e zed a.bloom b.bloom").out, "zed\n");
  EXPECT_EQ(shell_.run("bloomery check -c a.bloom -e a1 --input -", "a2\na3\n").out, "3\n");
  EXPECT_EQ(shell_.run("bloomery check a.bloom -e a1 --skip-header -F 2 -0").out,
            std::string("a1\0", 3));
  // Whatever they look like.
  ASSERT_EQ(shell_.run("bloomery create odd.bloom -n 100").status, 0) << "a rate of its own";
  for (const std::string key : {"{}", "[a,b]", "-x", "--", "", "a b", "%%", "--json"}) {
    EXPECT_EQ(shell_.run("bloomery insert odd.bloom -e '" + key + "'").status, 0) << key;
    EXPECT_EQ(shell_.run("bloomery check odd.bloom -e '" + key + "'").out, key + "\n");
  }
  EXPECT_EQ(shell_.run("bloomery info odd.bloom --json").json().at("inserted"), 8);
  const Outcome typed = shell_.run("bloomery check a.bloom alice");
  EXPECT_EQ(typed.status, 2);
  EXPECT_THAT(typed.err, HasSubstr("say -e alice"));
  const Outcome inserted = shell_.run("bloomery insert a.bloom alice");
  EXPECT_EQ(inserted.status, 2);
  EXPECT_THAT(inserted.err, HasSubstr("say -e alice"));
  const Outcome wrong = shell_.run("bloomery check a.bloom --as u64 --insist -e x");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("-e: \"x\" is not a u64"));
}

TEST_F(Check, WaitsAsLongAsItIsToldForAFileThatIsChangedInPlace) {
  const Outcome outcome = shell_.run(
      "mkfifo pipe\n"
      "bloomery insert a.bloom pipe --in-place >/dev/null &\n"
      "exec 3>pipe\n"  // returns when the first has the file
      "echo late | bloomery check a.bloom; echo $?\n"
      "echo late | bloomery check b.bloom a.bloom --wait 10ms; echo $?\n"
      "echo late | bloomery check b.bloom a.bloom --wait 1m 3>&- & check=$!\n"
      "echo late >&3\n"
      "exec 3>&-\n"
      "wait $check; echo $?\n");
  EXPECT_EQ(outcome.out, "2\n2\nlate\n0\n") << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("a.bloom: another process is writing this file"));
}

TEST_F(Check, DoesNotWaitForAWriterThatDied) {
  const Outcome outcome = shell_.run(
      "mkfifo pipe\n"
      "bloomery insert a.bloom pipe --in-place >/dev/null &\n"
      "exec 3>pipe\n"
      "kill -KILL $!\n"
      "wait $!\n"
      "echo a1 | bloomery check a.bloom --wait 1m; echo $?\n");
  EXPECT_EQ(outcome.out, "2\n");
  EXPECT_THAT(outcome.err, HasSubstr("not closed cleanly"));
}

TEST_F(Check, LooksIntoEveryFile) {
  EXPECT_EQ(shell_.run("bloomery check a.bloom b.bloom", "a1\nb1\nc1\n").out, "a1\nb1\n");
  EXPECT_EQ(shell_.run("bloomery check b.bloom a.bloom -v", "a1\nb1\nc1\n").out, "c1\n");
}

// Users of grep write it so. The keys are no filter; --input is the option that they need.
TEST_F(Check, NamesTheOptionWhereKeysStandForAFilter) {
  shell_.write("keys.txt", "a7\nb7\n");
  const Outcome outcome = shell_.run("bloomery check a.bloom keys.txt");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("say --input keys.txt"));
  EXPECT_EQ(shell_.run("bloomery check a.bloom --input keys.txt").out, "a7\n");
}

TEST_F(Check, TakesAByteOrderMarkForNoPartOfAKey) {
  const Outcome outcome = shell_.run("bloomery check a.bloom",
                                     "\xef\xbb\xbf"
                                     "a7\nb7\n");
  EXPECT_EQ(outcome.out, "a7\n");
  EXPECT_THAT(outcome.err, HasSubstr("byte order mark"));
}

TEST_F(Check, Counts) {
  const std::string input = numbered_lines("a", 5'000);
  EXPECT_EQ(shell_.run("bloomery check -c a.bloom", input).out, "100\n");
  EXPECT_EQ(shell_.run("bloomery check -c -v a.bloom", input).out, "4900\n");
  EXPECT_EQ(shell_.run("bloomery check -c a.bloom", "x\n").status, 1);
  const auto json = shell_.run("bloomery check --json a.bloom", input).json();
  EXPECT_EQ(json.at("key_count"), 5'000);
  EXPECT_EQ(json.at("maybe_count"), 100);
  EXPECT_EQ(json.at("absent_count"), 4'900);
}

TEST_F(Check, QuietlyStopsAtTheFirst) {
  const Outcome found = shell_.run("yes a1 | bloomery check -q a.bloom");
  EXPECT_EQ(found.status, 0);
  EXPECT_EQ(found.out + found.err, "");
  EXPECT_EQ(shell_.run("bloomery check -q a.bloom", "b1\n").status, 1);
}

TEST_F(Check, ReadsInputsAndPrintsWholeRecords) {
  shell_.write("table.csv", "1,a1\n2,b1\n");
  EXPECT_EQ(shell_.run("bloomery check a.bloom --input table.csv --field 2 -d ,").out, "1,a1\n");
  EXPECT_EQ(shell_.run("bloomery check a.bloom -0", std::string("a1\0b1\0a2\0", 9)).out,
            std::string("a1\0a2\0", 6));
}

TEST_F(Check, AnswersASlowPipeAtOnce) {
  // The second key is only sent when the first was answered.
  const Outcome outcome = shell_.run(
      "mkfifo asked answers\n"
      "bloomery check a.bloom <asked >answers &\n"
      "exec 3>asked 4<answers\n"
      "echo a1 >&3; read first <&4; echo a2 >&3; read second <&4\n"
      "echo $first $second\n");
  EXPECT_EQ(outcome.out, "a1 a2\n");
}

TEST_F(Check, IsSilentWhenTheReaderGoes) {
  const Outcome outcome = shell_.run("yes a1 | bloomery check a.bloom | head -1");
  EXPECT_EQ(outcome.out, "a1\n");
  EXPECT_EQ(outcome.err, "");
}

TEST_F(Check, SaysThatItsOutputIsLost) {
  const Outcome outcome = shell_.run("bloomery check a.bloom >/dev/full", "a1\n");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("cannot write standard output: No space left on device"));
}

TEST_F(Check, PrintsWhatCameBeforeAnError) {
  const Outcome outcome = shell_.run("bloomery check a.bloom --field 2 -d ,", "1,a1\nnone\n");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "1,a1\n");
  EXPECT_THAT(outcome.err, HasSubstr(":2: "));
}

TEST_F(Check, RefusesDamagedFiles) {
  std::string bytes = shell_.read("a.bloom");
  bytes[bytes.size() / 2 + 2'000] ^= 1;
  shell_.write("flipped.bloom", bytes);
  shell_.write("cut.bloom", bytes.substr(0, bytes.size() - 1));
  for (const char* file : {"flipped.bloom", "cut.bloom", "missing.bloom", ".", "/dev/null"}) {
    const Outcome outcome = shell_.run(std::string("bloomery check ") + file, "a1\n");
    EXPECT_EQ(outcome.status, 2) << file;
    EXPECT_EQ(outcome.out, "") << file;
    EXPECT_THAT(outcome.err, HasSubstr(file));
  }
}

}  // namespace
}  // namespace bloomery
