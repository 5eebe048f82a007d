// SPDX-License-Identifier: Apache-2.0
// A followed filter that is built again by the command, while its follower goes on and readers ask
// for what was committed just now.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "bloomery/open/open_place.h"
#include "tests/follow/follow_scene.h"
#include "tests/support/redis_server.h"

namespace bloomery {
namespace {

class RebuildBesideAFollower : public FollowScene {
 protected:
  PlaceLocation bitmap() const override {
    return parse_place_location("bitmap:redis+unix://" + server_.socket() + "#users");
  }
  // Runs a rebuild with the settings of the follower, and returns its exit status.
  int rebuild() const {
    const std::string command = BLOOMERY_COMMAND " rebuild '" + database_->location() + "' '" +
                                bitmap().text() + "' -n 1000000 --slot proof 2>>'" +
                                folder_.path("log") + "'";
    return std::system(command.c_str());
  }

  testing::RedisServer server_{folder_.path("")};
};

TEST_P(RebuildBesideAFollower, DeniesNoRowThatWasCommitted) {
  const Child following(follower(std::chrono::hours(1)));
  wait_until_followed();
  int turn = 0;
  const Tally all = run_writers(scene_time(4000), writers(true), [&] {
    const Identity before = open_place(bitmap())->head().identity;
    EXPECT_EQ(rebuild(), 0);
    EXPECT_NE(open_place(bitmap())->head().identity, before);
    ++turn;
  });
  printf("%s: %d rebuilds\n", GetParam().c_str(), turn);
  EXPECT_GT(all.asked, 5U);
  EXPECT_EQ(all.false_absent, 0U);
  EXPECT_GT(2 * all.others_absent, all.others);
}

INSTANTIATE_TEST_SUITE_P(Databases, RebuildBesideAFollower,
                         ::testing::Values("sqlite_wal", "postgres", "mariadb", "mysql"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace bloomery
