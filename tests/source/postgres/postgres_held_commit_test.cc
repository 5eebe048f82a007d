// SPDX-License-Identifier: Apache-2.0
// A commit that stands in the log, and is held back by a standby that does not answer.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "tests/source/postgres/followed.h"
#include "tests/source/postgres/postgres_fixture.h"

namespace bloomery {
namespace {

using testing::PostgresSession;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

void wait_for_standby(const std::string& names) {
  PostgresSession session(server());
  session.run("ALTER SYSTEM SET synchronous_standby_names = '" + names + "'");
  session.run("SELECT pg_reload_conf()");
  const auto until = Clock::now() + 10s;
  while (PostgresSession(server()).run("SHOW synchronous_standby_names") != names &&
         Clock::now() < until) {
  }
}

// The record of the held commit comes before all that the second follows, and nobody sees its row
// until it is let go.
TEST(PostgresHeldCommit, IsFoundByWhoBeginsToFollowMeanwhile) {
  PostgresSession session(server());
  session.run("CREATE TABLE held(id text PRIMARY KEY); INSERT INTO held VALUES ('before')");
  Followed first("table=held&column=id");
  wait_for_standby("nobody");
  std::thread writer([] { PostgresSession(server()).run("INSERT INTO held VALUES ('held')"); });
  const auto held = [&] {
    return session.run("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
  };
  for (const auto until = Clock::now() + 10s; held() != "1" && Clock::now() < until;) {
    first.poll(1ms);
  }
  EXPECT_EQ(held(), "1");
  EXPECT_EQ(session.run("SELECT count(*) FROM held"), "1") << "nobody sees it yet";
  std::thread release([] {
    std::this_thread::sleep_for(300ms);
    wait_for_standby("");
  });
  Followed second("table=held&column=id");
  release.join();
  writer.join();
  for (Followed* const each : {&first, &second}) {
    EXPECT_FALSE(each->says_absent("held"));
    EXPECT_TRUE(each->catch_up());
    EXPECT_TRUE(each->keys().contains("held"));
    EXPECT_TRUE(each->comes_to_say_absent("no such key"));
  }
}

}  // namespace
}  // namespace bloomery
