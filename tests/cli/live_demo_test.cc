// SPDX-License-Identifier: Apache-2.0
// ./run demo --postgres, in short: what it shows holds, and nothing of it is left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "cli/live_demo/mysql_files.h"
#include "tests/cli/shell.h"
#include "tests/support/redis_server.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::Shell;

// In a folder that a server's own user may enter; with what is left in it as the last line.
Outcome live_demo(const Shell& shell, const std::string& arguments) {
  return shell.run("chmod 711 .; TMPDIR=$PWD bloomery_live_demo demo " + arguments +
                   "; status=$?; ls -d bloomery-* 2>&-; exit $status");
}

void expect_no_row_denied(const std::string& database, const std::string& seconds) {
  if (!testing::RedisServer::is_installed()) GTEST_SKIP() << "no redis-server here";
  const Shell shell;
  const Outcome outcome = live_demo(shell, "--" + database + " --rows 5K --json " + seconds);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, Not(HasSubstr("bloomery-"))) << "left behind";
  const auto result = outcome.json();
  const auto& fenced = result.at("fenced");
  EXPECT_EQ(fenced.at("false_absents"), 0);
  EXPECT_GT(fenced.at("committed").get<std::uint64_t>(), 0U);
  // The time is over soon after the follower is back, on a busy machine.
  EXPECT_GT(fenced.at("denied_share").get<double>(), 0);
  EXPECT_GT(fenced.at("fence_questions").get<std::uint64_t>(), 0U);
  EXPECT_LT(fenced.at("fence_questions").get<std::uint64_t>(),
            fenced.at("flood").get<std::uint64_t>());
  EXPECT_GT(result.at("without_fence").at("committed").get<std::uint64_t>(), 0U);
}

TEST(LiveDemo, DeniesNoRowOfPostgres) {
  expect_no_row_denied("postgres", "--seconds 1");
}

TEST(LiveDemo, DeniesNoRowOfMariadb) {
  const char* const is_long = std::getenv("BLOOMERY_LONG");
  if (is_long == nullptr || *is_long == '\0') GTEST_SKIP() << "takes long; ./run test --long";
  expect_no_row_denied("mariadb", "--seconds 5");
}

TEST(LiveDemo, DeniesNoRowOfMysql) {
  if (!cli::MysqlFiles::find().is_there()) GTEST_SKIP() << cli::MysqlFiles::kNone;
  expect_no_row_denied("mysql", "--seconds 2");
}

TEST(LiveDemo, LeavesNothingWhenItIsInterrupted) {
  const Shell shell;
  const Outcome outcome = shell.run(
      "chmod 711 .; export TMPDIR=$PWD\n"
      "env --default-signal=INT bloomery_live_demo demo --postgres >out & pid=$!\n"
      "for i in $(seq 200); do ls -d bloomery-*/data >seen 2>&- && break; sleep 0.02; done\n"
      "kill -INT $pid; wait $pid; echo $?; cat seen; ls -d bloomery-* 2>&-");
  EXPECT_THAT(outcome.out, ::testing::MatchesRegex("130\nbloomery-....../data\n")) << outcome.err;
}

TEST(LiveDemo, RefusesWhatItCannotShow) {
  const Shell shell;
  for (const char* const words :
       {"", "--postgres --mariadb", "--mariadb --mysql", "--postgres --seconds 0"}) {
    EXPECT_EQ(live_demo(shell, words).status, 2) << words;
  }
  EXPECT_THAT(live_demo(shell, "").err, HasSubstr("--postgres or --mariadb"));
}

}  // namespace
}  // namespace bloomery
