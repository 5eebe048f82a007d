// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/postgres/input_drain.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <string>
#include <thread>

#include "tests/source/postgres/postgres_fixture.h"

namespace bloomery::postgres {
namespace {

using testing::PostgresSession;

// How often the threads of this process went to sleep while it ran for a fifth of a second.
long sleeps_of(PGconn* connection) {
  rusage before{};
  rusage after{};
  {
    const InputDrain drain(connection);
    getrusage(RUSAGE_SELF, &before);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    getrusage(RUSAGE_SELF, &after);
  }
  return after.ru_nvcsw - before.ru_nvcsw;
}

TEST(InputDrain, TakesWhatAServerWouldWaitWith) {
  PostgresSession session(server());
  PostgresSession other(server());
  const std::string process = session.run("SELECT pg_backend_pid()");
  ASSERT_EQ(PQsendQuery(session.handle(), "SELECT repeat('x', 1000) FROM generate_series(1, 3000)"),
            1);
  const auto wait_until = [&](const std::string& what) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    const std::string question = "SELECT " + what + " FROM pg_stat_activity WHERE pid = " + process;
    while (other.run(question) != "t") {
      ASSERT_LT(std::chrono::steady_clock::now(), until) << what;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  };
  wait_until("state = 'active' AND wait_event = 'ClientWrite'");
  const InputDrain drain(session.handle());
  wait_until("state = 'idle'");
}

TEST(InputDrain, SleepsWhileNothingComesAndWhereTheServerHasGone) {
  PostgresSession session(server());
  const std::string process = session.run("SELECT pg_backend_pid()");
  EXPECT_LT(sleeps_of(session.handle()), 50);
  PostgresSession(server()).run("SELECT pg_terminate_backend(" + process + ", 10000)");
  EXPECT_LT(sleeps_of(session.handle()), 50);
}

}  // namespace
}  // namespace bloomery::postgres
