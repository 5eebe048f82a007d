// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "bloomery/store/native_file.h"
#include "tests/cli/shell.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::numbered_lines;
using testing::Outcome;
using testing::Shell;

TEST(DedupState, DropsWhatARunBeforeHasSeen) {
  const Shell shell;
  const std::string dedup = "bloomery dedup --state seen.bloom -n 1000 -p 1e-9";
  EXPECT_EQ(shell.run(dedup, "a\nb\na\n").out, "a\nb\n");
  const Outcome second = shell.run(dedup, "b\nc\na\n");
  EXPECT_EQ(second.out, "c\n");
  EXPECT_EQ(second.status, 0);
  const Outcome third = shell.run(dedup, "c\nb\n");
  EXPECT_EQ(third.out, "");
  EXPECT_EQ(third.status, 1) << "all was seen";
  const AnyFilter state = load(shell.path("seen.bloom"));
  EXPECT_EQ(state.inserted(), 3U);
  EXPECT_EQ(state.capacity(), 1'000U);
  EXPECT_EQ(shell.run("ls -A").out, "seen.bloom\n");
}

// A terminal that stands still, so that a save waits for the records that are on their way, and
// then goes: they were not printed, and the state must not know them.
TEST(DedupState, KnowsNoRecordWhosePrintingFailed) {
  const Shell shell;
  std::string lines;
  for (int i = 0; i < 500; ++i) lines += std::to_string(i) + std::string(1'000, 'x') + "\n";
  shell.write("lines.txt", lines);
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  ASSERT_GE(terminal, 0);
  ASSERT_EQ(grantpt(terminal) | unlockpt(terminal), 0);
  const std::string name = ptsname(terminal);
  Outcome outcome;
  std::thread run([&] {
    outcome =
        shell.run("bloomery dedup --state s.bloom --save-every 5ms -n 1000 lines.txt >" + name);
  });
  pollfd printed{.fd = terminal, .events = POLLIN, .revents = 0};
  EXPECT_EQ(poll(&printed, 1, -1), 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  close(terminal);
  run.join();
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("cannot write standard output"));
  EXPECT_FALSE(std::filesystem::exists(shell.path("s.bloom"))) << "nothing was saved";
}

TEST(DedupState, HasRoomForLaterRuns) {
  const Shell shell;
  shell.write("a.txt", "a\n");
  EXPECT_EQ(shell.run("bloomery dedup -q --state s.bloom a.txt").status, 0);
  EXPECT_EQ(load(shell.path("s.bloom")).capacity(), 10'000'000U);
}

TEST(DedupState, IsMadeEvenWhereNothingCame) {
  const Shell shell;
  EXPECT_EQ(shell.run("bloomery dedup --state s.bloom -n 10").status, 1);
  EXPECT_EQ(load(shell.path("s.bloom")).inserted(), 0U);
}

TEST(DedupState, CountsTheLossFromTheFillThatItHad) {
  const Shell shell;
  const std::string dedup = "bloomery dedup --json --state s.bloom -n 10000 -p 0.05";
  ASSERT_EQ(shell.run(dedup, numbered_lines("a", 10'000)).status, 0);
  const Outcome second = shell.run(dedup, numbered_lines("b", 5'000));
  const auto said = nlohmann::json::parse(second.err);
  const double lost = said.at("dropped_count").get<double>();  // none of these repeats
  EXPECT_GT(lost, 5'000 * 0.05);
  EXPECT_NEAR(said.at("expected_loss").get<double>(), lost, 0.2 * lost);
  EXPECT_GE(said.at("loss_bound").get<double>(), lost);
}

TEST(DedupState, KeepsTheSizeItWasMadeWithAndSaysSo) {
  const Shell shell;
  ASSERT_EQ(shell.run("bloomery create s.bloom -n 500 -p 1e-5").status, 0);
  EXPECT_EQ(shell.run("bloomery dedup --state s.bloom", "a\n").err.find("stays so"),
            std::string::npos);
  const Outcome other = shell.run("bloomery dedup --state s.bloom -n 1M", "b\n");
  EXPECT_THAT(other.err, HasSubstr("s.bloom was made with -n 500 -p 1e-05 and stays so"));
  EXPECT_EQ(load(shell.path("s.bloom")).capacity(), 500U);
}

TEST(DedupState, KnowsWhatWasPrintedBeforeAnInterruption) {
  const Shell shell;
  ASSERT_EQ(shell.run("bloomery dedup --state old.bloom -n 1000 -p 1e-9", "a\n").status, 0);
  for (const char* signal : {"INT", "TERM", "HUP"}) {
    for (const char* state : {"old.bloom", "new.bloom"}) {
      const Outcome outcome = shell.run(
          "mkfifo in out\n"
          "env --default-signal=INT bloomery dedup -q --state " +
          std::string(state) +
          " -n 1000 -p 1e-9 in >out &\n"
          "exec 4<out 3>in\n"
          "test -e " +
          state +
          " || echo is not there from the start\n"
          "echo " +
          signal +
          " >&3\n"
          "read line <&4\n"
          "kill -" +
          signal +
          " $!\n"
          "wait $!\n"
          "test $? -gt 128 || echo not killed\n"
          "rm in out\n"
          "echo " +
          signal + " | bloomery dedup -q --state " + state + "\n");
      EXPECT_EQ(outcome.out, "") << signal << " " << state;
    }
  }
}

TEST(DedupState, KilledIsAsItWasSavedLast) {
  const Shell shell;
  const Outcome outcome = shell.run(
      "mkfifo in out\n"
      "bloomery dedup -q --state s.bloom --save-every 5ms -n 1000 -p 1e-9 in >out &\n"
      "exec 4<out 3>in\n"
      "before=$(stat -c %i s.bloom)\n"
      "echo a >&3\n"
      "read line <&4\n"
      "while test $(stat -c %i s.bloom) = $before; do sleep 0.01; done\n"
      "kill -KILL $!\n"
      "wait $!\n"
      "printf 'a\\nb\\n' | bloomery dedup -q --state s.bloom\n");
  EXPECT_EQ(outcome.out, "b\n");
}

// Saves wait for records that nobody reads.
TEST(DedupState, DoesNotKeepASignalFromARunWhoseReaderStandsStill) {
  const Shell shell;
  shell.write("lines.txt", numbered_lines(std::string(500, 'x'), 2'000));
  const Outcome outcome = shell.run(
      "mkfifo out\n"
      "bloomery dedup -q --state s.bloom --save-every 5ms -n 2000 lines.txt >out &\n"
      "exec 4<out\n"
      "sleep 0.2\n"
      "kill -TERM $!\n"
      "for i in $(seq 300); do kill -0 $! 2>/dev/null || break; sleep 0.1; done\n"
      "kill -KILL $! 2>/dev/null\n"
      "wait $!\n"
      "echo $?\n"
      "cat <&4 >first\n"
      "bloomery dedup -q --state s.bloom lines.txt >second\n"
      "sort -u first second | grep -cE '^x{500}[0-9]+$'\n");
  EXPECT_EQ(outcome.out, "143\n2000\n") << "what the state knows is in the pipe";
}

TEST(DedupState, IsNotLeftBehindByARunThatFailed) {
  const Shell shell;
  EXPECT_EQ(shell.run("bloomery dedup --state s.bloom missing.txt").status, 2);
  EXPECT_FALSE(shell.has("s.bloom"));
}

TEST(DedupState, BelongsToOneRunAtATime) {
  const Shell shell;
  const Outcome outcome = shell.run(
      "mkfifo pipe\n"
      "bloomery dedup -q --state s.bloom -n 1000 pipe >/dev/null &\n"
      "exec 3>pipe\n"
      "echo b | bloomery dedup --no-wait --state s.bloom\n"
      "echo $?\n"
      "echo c >&3\n"
      "exec 3>&-\n"
      "wait $!\n"
      "echo $?\n");
  EXPECT_EQ(outcome.out, "2\n0\n");
  EXPECT_THAT(outcome.err, HasSubstr("s.bloom"));
  EXPECT_EQ(load(shell.path("s.bloom")).inserted(), 1U);
}

TEST(DedupState, ThatIsDamagedIsRefusedBeforeAnythingIsPrinted) {
  const Shell shell;
  ASSERT_EQ(shell.run("bloomery dedup --state s.bloom -n 1000", "a\n").status, 0);
  const Outcome outcome = shell.run(
      "printf x | dd of=s.bloom bs=1 seek=600 conv=notrunc status=none\n"
      "bloomery dedup --state s.bloom",
      "a\nb\n");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("s.bloom"));
}

}  // namespace
}  // namespace bloomery
