// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>

#include "bloomery/errors.h"
#include "bloomery/open/open_place.h"
#include "tests/follow/follower_fixture.h"
#include "tests/support/redis_server.h"

namespace bloomery {

class FollowerInServerTest : public FollowerTest {
 protected:
  void SetUp() override {
    FollowerTest::SetUp();
    if (!testing::RedisServer::is_installed()) GTEST_SKIP() << "no redis-server here";
    server_ = std::make_unique<testing::RedisServer>(folder_.path(""));
  }
  PlaceLocation bitmap() const {
    return parse_place_location("bitmap:redis+unix://" + server_->socket() + "#users");
  }
  // Options of a follower that sees soon what others did to its filter, and tries again soon.
  static FollowerOptions watchful() {
    return {.look_every = std::chrono::milliseconds(20),
            .longest_pause = std::chrono::milliseconds(50)};
  }
  // Waits until the filter in the server reaches the database. The fence is asked again and again,
  // as a scan makes the fence before another's.
  void wait_in_server() {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (std::chrono::steady_clock::now() < until) {
      try {
        const auto there = reader()->head().watermark;
        if (there && there->reaches(fence())) return;
      } catch (const StoreError&) {
        // The filter is not there yet.
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    FAIL() << "the fence is never reached";
  }
  std::unique_ptr<FilterPlace> reader() const { return open_place(bitmap()); }

  std::unique_ptr<testing::RedisServer> server_;
};

}  // namespace bloomery
