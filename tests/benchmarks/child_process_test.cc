// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/child_process.h"

#include <gtest/gtest.h>

namespace bloomery::bench {
namespace {

using End = ChildResult::End;
using std::chrono::milliseconds;

constexpr milliseconds kPlenty{60'000};

ChildResult run_shell(const char* script, milliseconds timeout = kPlenty) {
  return run_child({"sh", "-c", script}, timeout);
}

TEST(ChildProcess, GivesOutputAndExitStatus) {
  const ChildResult good = run_shell("echo out; echo error >&2");
  EXPECT_TRUE(good.succeeded());
  EXPECT_EQ(good.output, "out\nerror\n");
  const ChildResult bad = run_shell("exit 3");
  EXPECT_FALSE(bad.succeeded());
  EXPECT_EQ(bad.end, End::exited);
  EXPECT_EQ(bad.exit_status, 3);
}

TEST(ChildProcess, HandsOverArgumentsAsTheyAre) {
  EXPECT_EQ(run_child({"printf", "%s|", "a b", "", "$HOME"}, kPlenty).output, "a b||$HOME|");
}

TEST(ChildProcess, GivesNoInput) {
  const ChildResult result = run_child({"cat"}, kPlenty);
  EXPECT_TRUE(result.succeeded());
  EXPECT_EQ(result.output, "");
}

TEST(ChildProcess, SaysThatAProgramIsNotThere) {
  EXPECT_EQ(run_child({"/nonexistent/program"}, kPlenty).end, End::not_found);
}

TEST(ChildProcess, SaysThatASignalEndedIt) {
  const ChildResult result = run_shell("kill -9 $$");
  EXPECT_EQ(result.end, End::killed);
  EXPECT_FALSE(result.succeeded());
}

TEST(ChildProcess, KillsWhatTakesTooLong) {
  EXPECT_EQ(run_child({"sleep", "600"}, milliseconds(20)).end, End::timed_out);
}

TEST(ChildProcess, KillsWhatClosesItsOutputAndGoesOn) {
  EXPECT_EQ(run_shell("exec sleep 600 >&- 2>&-", milliseconds(100)).end, End::timed_out);
}

TEST(ChildProcess, KillsWhatNeverStopsTalking) {
  const ChildResult result = run_child({"yes"}, kPlenty);
  EXPECT_EQ(result.end, End::timed_out);
  EXPECT_LT(result.output.size(), 2u << 20);
}

}  // namespace
}  // namespace bloomery::bench
