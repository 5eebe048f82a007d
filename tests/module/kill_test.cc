// SPDX-License-Identifier: Apache-2.0
// Servers that are killed while they work, and what is there when they come back.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/module/filters_under_test.h"
#include "tests/module/server_client.h"
#include "tests/module/server_state.h"

namespace bloomery {
namespace {

using testing::FilterUnderTest;
using testing::ModuleServer;
using testing::ModuleTest;

class Kill : public ModuleTest, public ::testing::WithParamInterface<const char*> {
 protected:
  // Adds items to all filters, many under way, until the server is gone. `done`: how many were
  // acknowledged; goes on from there.
  static void add_until_gone(ModuleServer& server, const std::vector<FilterUnderTest>& filters,
                             std::atomic<int>& done) {
    constexpr int kUnderWay = 16;
    try {
      for (;;) {
        if (done / kUnderWay % 8 == 3) server.ask("BGREWRITEAOF");
        for (int i = done; i < done + kUnderWay; ++i) {
          for (const auto& each : filters) {
            server.client.send_command({each.add, each.key, std::to_string(i)});
          }
        }
        for (int i = 0; i < kUnderWay; ++i, ++done) {
          for (std::size_t j = 0; j < filters.size(); ++j) {
            const std::string reply = server.client.read_reply().line;
            if (reply[0] == '-') ADD_FAILURE() << reply;
          }
        }
      }
    } catch (const std::runtime_error&) {  // gone
    }
  }
};

TEST_P(Kill, LosesNoAcknowledgedItem) {
  const std::vector<std::string> options{
      "--appendonly", "yes", "--appendfsync", "always", "--aof-use-rdb-preamble", GetParam()};
  std::atomic<int> done = 0;
  for (int round = 0; round < 4; ++round) {
    ModuleServer server(folder(), {}, options);
    const auto filters = testing::one_of_each(server.client);
    for (const auto& each : filters) {
      EXPECT_EQ(testing::lost_items(server.client, each, done), 0) << each.key << " of " << done;
    }
    const int before = done;
    std::thread killer([&] {
      testing::comes_true([&] { return done > before + 100; });
      std::this_thread::sleep_for(std::chrono::milliseconds(150 + 37 * round));
      server.end(SIGKILL);
    });
    add_until_gone(server, filters, done);
    killer.join();
    EXPECT_GT(done, before + 100);
  }
}

INSTANTIATE_TEST_SUITE_P(Preamble, Kill, ::testing::Values("yes", "no"));

class Fork : public ModuleTest {};

TEST_F(Fork, AFileOfBgsaveHasWhatWasThereWhenItBegan) {
  constexpr int kBefore = 3000;
  {
    ModuleServer server(folder());
    const auto filters = testing::one_of_each(server.client);
    const auto add = [&](int first, int last) {
      for (int i = first; i < last; ++i) {
        for (const auto& each : filters) server.call({each.add, each.key, std::to_string(i)});
      }
    };
    add(0, kBefore);
    ASSERT_EQ(server.ask("BGSAVE")[0], '+');
    add(kBefore, 2 * kBefore);  // pages that the child shares
    ASSERT_TRUE(testing::comes_true(
        [&] { return testing::info(server.client, "rdb_bgsave_in_progress") == "0"; }));
    EXPECT_EQ(testing::info(server.client, "rdb_last_bgsave_status"), "ok");
    for (const auto& each : filters) {
      EXPECT_EQ(testing::lost_items(server.client, each, 2 * kBefore), 0) << each.key;
    }
    server.end(SIGKILL);
  }
  ModuleServer server(folder());
  for (const auto& each : testing::one_of_each(server.client)) {
    EXPECT_EQ(testing::lost_items(server.client, each, kBefore), 0) << each.key;
  }
}

}  // namespace
}  // namespace bloomery
