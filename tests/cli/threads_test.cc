// SPDX-License-Identifier: Apache-2.0
// --threads changes nothing but the time: the same files, answers, order and errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/cli/shell.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::numbered_lines;
using testing::Outcome;
using testing::Shell;
using ::testing::StartsWith;

// Many blocks of what is read at once.
std::string keys() {
  return numbered_lines("key", 60'000);
}

class Threads : public ::testing::TestWithParam<const char*> {};

TEST_P(Threads, MakeAndAskTheSameFilter) {
  const Shell shell;
  shell.write("keys.txt", keys());
  shell.write("asked.txt", numbered_lines("key", 30'000) + numbered_lines("other", 30'000));
  const std::string load = "bloomery load keys.txt --seed 7 -p 0.1 " + std::string(GetParam());
  for (const char* const threads : {"1", "2", "5"}) {
    const std::string file = std::string(threads) + ".bloom";
    const Outcome loaded = shell.run(load + " " + file + " --threads " + threads);
    ASSERT_EQ(loaded.status, 0) << loaded.err;
    EXPECT_TRUE(shell.read(file) == shell.read("1.bloom")) << threads;
    const Outcome asked =
        shell.run("bloomery check 1.bloom --input asked.txt --threads " + std::string(threads));
    EXPECT_EQ(asked.status, 0);
    EXPECT_THAT(asked.out, StartsWith(numbered_lines("key", 30'000)));
    EXPECT_TRUE(asked.out == shell.run("bloomery check 1.bloom --input asked.txt --threads 1").out);
  }
}

// The fifth is so large that it is built in bulk, by as many threads.
INSTANTIATE_TEST_SUITE_P(Kinds, Threads,
                         ::testing::Values("--kind blocked", "--kind classic", "--kind counting",
                                           "--kind classic-counting", "-n 4M",
                                           "--kind scalable -n 100", "--kind static"));

TEST(ThreadsOfDedup, KeepTheFirstOfEachKeyInOrder) {
  const Shell shell;
  shell.write("keys.txt", numbered_lines("key", 30'000) + keys());
  for (const std::string options :
       {"", "-n 60K --kind scalable", "--kind classic", "--secret", "--exact"}) {
    for (const char* const threads : {"1", "2", "5"}) {
      const Outcome outcome =
          shell.run("bloomery dedup keys.txt -q --threads " + std::string(threads) + " " + options);
      EXPECT_TRUE(outcome.out == keys()) << options << ", " << threads;
    }
  }
  const Outcome piped = shell.run("cat keys.txt | bloomery dedup -q --threads 3");
  EXPECT_TRUE(piped.out == keys());
}

// The key is drawn once, for the filter and for those who hash for it.
TEST(ThreadsOfLoad, HashByTheSecretOfTheFilter) {
  const Shell shell;
  shell.write("keys.txt", keys());
  for (const char* const kind : {"blocked", "classic", "scalable", "static"}) {
    const std::string load =
        "bloomery load keys.txt f.bloom --replace --secret --threads 3 --kind ";
    ASSERT_EQ(shell.run(load + kind).status, 0);
    EXPECT_EQ(shell.run("bloomery check f.bloom -c --input keys.txt").out, "60000\n") << kind;
  }
}

TEST(ThreadsOfCheck, SayWhichLineSpellsNoKey) {
  const Shell shell;
  shell.write("numbers.txt", numbered_lines("", 40'000) + "x\n" + numbered_lines("", 40'000));
  ASSERT_EQ(shell.run("seq 0 39999 | bloomery load - f.bloom -n 40000 --as u64").status, 0);
  for (const char* const threads : {"1", "4"}) {
    const Outcome outcome =
        shell.run("bloomery check f.bloom --input numbers.txt --threads " + std::string(threads));
    EXPECT_EQ(outcome.status, 2);
    EXPECT_TRUE(outcome.out == numbered_lines("", 40'000)) << "all before it";
    EXPECT_THAT(outcome.err, HasSubstr("numbers.txt:40001: \"x\" is not a u64"));
  }
}

// The pipe stays open: who waits for more would not end.
TEST(ThreadsOfCheck, StopAtTheFirstAndAnswerAsKeysCome) {
  const Shell shell;
  ASSERT_EQ(shell.run("seq 9 | bloomery load - f.bloom -n 9 -p 1e-9").status, 0);
  const std::string slow = "mkfifo ask; (sleep 20 & echo $! >pid; echo 5; wait) >ask & ";
  EXPECT_EQ(
      shell.run(slow + "bloomery check f.bloom -q --threads 4 <ask; s=$?; kill $(cat pid); exit $s")
          .status,
      0);
  EXPECT_EQ(
      shell
          .run("(echo 5; sleep 20) 2>&- | bloomery check f.bloom --threads 4 | head -n 1 >out & "
               "for i in $(seq 100); do sleep 0.05; [ -s out ] && break; done; cat out; kill $!")
          .out,
      "5\n");
}

TEST(ThreadsOfMeasure, CountTheSame) {
  const Shell shell;
  nlohmann::json of_one;
  for (const char* const threads : {"1", "3"}) {
    const Outcome outcome =
        shell.run("bloomery measure -n 50000 -p 0.01 --queries 100000 --json --threads " +
                  std::string(threads));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    nlohmann::json counts = outcome.json();
    for (const char* const time : {"insert_ns_per_key", "may_contain_ns_per_key"})
      counts.erase(time);
    if (of_one.is_null()) of_one = counts;
    EXPECT_EQ(counts, of_one);
  }
}

TEST(ThreadsOfAll, AreCountedAndRefusedBeyondReason) {
  const Shell shell;
  for (const char* const count : {"0", "x", "1025", "-1"}) {
    const Outcome outcome =
        shell.run("bloomery measure -n 10 -p 0.1 --threads " + std::string(count));
    EXPECT_EQ(outcome.status, 2) << count;
    EXPECT_THAT(outcome.err, HasSubstr("--threads"));
  }
}

}  // namespace
}  // namespace bloomery
