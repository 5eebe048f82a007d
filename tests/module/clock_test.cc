// SPDX-License-Identifier: Apache-2.0
// The wall clock of a server is set while it runs.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "tests/module/server_client.h"
#include "tests/module/server_state.h"
#include "tests/support/moved_clock.h"

namespace bloomery {
namespace {

using testing::Client;
using testing::ModuleTest;
using testing::RedisServer;

class Clock : public ModuleTest {
 protected:
  Clock() { setenv("BLOOMERY_MOVED_CLOCK", clock_.path().c_str(), 1); }
  ~Clock() override { unsetenv("BLOOMERY_MOVED_CLOCK"); }

  testing::MovedClock clock_{};
};

// Servers expire keys by the clock as it is now; windows go on by that of before.
TEST_F(Clock, FiltersThatExpireDoSoAtTheSameTimeAfterARestart) {
  const std::vector<std::string> options{"--loadmodule", BLOOMERY_MODULE_FILE, "--appendonly",
                                         "yes",          "--appendfsync",      "always"};
  clock_.move(-std::chrono::hours(2));
  {
    RedisServer server(folder(), options, BLOOMERY_MOVED_CLOCK_LIBRARY);
    Client client(server.socket());
    EXPECT_EQ(client.ask("BLOOM.RESERVE early 0.01 100 WINDOW 86400000"), "+OK");
    EXPECT_EQ(client.ask("BF.ADD early a"), ":1");
    clock_.move({});
    // A server goes on by the time that it read last, and would soon take the filters for expired:
    // until it knows that it has run for two hours.
    ASSERT_TRUE(testing::comes_true(
        [&] { return std::stoll(testing::info(client, "uptime_in_seconds")) > 7'000; }));
    EXPECT_EQ(client.ask("BF.RESERVE bf 0.01 100 EX 3600"), "+OK");
    EXPECT_EQ(client.ask("BLOOM.RESERVE own 0.01 100 EX 3600"), "+OK");
    EXPECT_EQ(client.ask("BF.INSERT made EX 3600 ITEMS a"), "*1 :1");
    for (const char* const key : {"bf", "own"}) {
      EXPECT_EQ(client.ask(std::string("BF.ADD ") + key + " a"), ":1");
    }
    server.end(SIGKILL);
  }
  RedisServer server(folder(), options, BLOOMERY_MOVED_CLOCK_LIBRARY);
  Client client(server.socket());
  for (const char* const key : {"early", "bf", "own", "made"}) {
    EXPECT_EQ(client.ask(std::string("BF.EXISTS ") + key + " a"), ":1") << key;
  }
  for (const char* const key : {"bf", "own", "made"}) {
    EXPECT_NE(client.ask(std::string("PTTL ") + key), ":-1") << key;
  }
}

}  // namespace
}  // namespace bloomery
