// SPDX-License-Identifier: Apache-2.0
// The wall clock of one side or the other is set, backwards and forwards, while rows are written
// and asked for at once. All that ages does so by the clock that nobody sets.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "tests/follow/guarded_scene.h"
#include "tests/support/moved_clock.h"

namespace bloomery {
namespace {

// The database's server, which is there before all else of a scene, has this one.
class ServersClock {
 protected:
  ServersClock() {
    setenv("BLOOMERY_SERVER_PRELOAD", BLOOMERY_MOVED_CLOCK_LIBRARY, 1);
    setenv("BLOOMERY_MOVED_CLOCK", servers_.path().c_str(), 1);
  }
  ~ServersClock() {
    unsetenv("BLOOMERY_SERVER_PRELOAD");
    unsetenv("BLOOMERY_MOVED_CLOCK");
  }

  testing::MovedClock servers_{};
};

class FollowClock : protected ServersClock, public GuardedScene {
 protected:
  static constexpr std::chrono::seconds kHour{3600};

  static std::int64_t now() {
    return std::chrono::duration_cast<std::chrono::seconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  }
  static std::function<Tally()> by(const testing::MovedClock& clock, std::function<Tally()> run) {
    return [&clock, run = std::move(run)] {
      clock.go_by_it();
      return run();
    };
  }
  // Expects that a process follows the moved clock; otherwise there is nothing to see here.
  void expect_to_go_by(testing::MovedClock& clock) const {
    clock.move(kHour);
    const std::int64_t later = now() + kHour.count() / 2;
    Child process(by(clock, [=] { return Tally{.asked = now() > later ? 1U : 0U}; }));
    EXPECT_EQ(process.finish().asked, 1U);
    clock.move({});
  }
  void expect_server_to_go_by_its_clock() {
    servers_.move(kHour);
    const auto session = database_->connect();
    session->run("INSERT INTO users(id) SELECT 'late' FROM (SELECT 1) one WHERE " +
                 database_->clock() + " > " + std::to_string(now() + kHour.count() / 2));
    EXPECT_TRUE(session->has("late"));
    servers_.move({});
  }
  // Sets a clock and expects no denial. A writer asks strictly, the others within a budget. A
  // server of PostgreSQL ends connections of followers when its clock leaps ahead
  // (wal_sender_timeout): they need a while.
  void set_and_expect_no_denial(const char* whose, testing::MovedClock& clock,
                                milliseconds every = milliseconds(400)) {
    SCOPED_TRACE(whose);
    printf("%s: the clock of the %s is set\n", GetParam().c_str(), whose);
    fewest_absent_ = 1;
    int turn = 0;
    const Tally all = run_writers(
        scene_time(4 * static_cast<int>(every.count())),
        [this](int who, milliseconds time) {
          return by(readers_, who == 0 ? writer(who, time, true) : writer_past_a_guard(who, time));
        },
        [&] {
          clock.move(std::array{kHour, -kHour, 2 * kHour, 0 * kHour}[turn++ % 4]);
          std::this_thread::sleep_for(every);
        });
    clock.move({});
    EXPECT_GT(all.asked, 5U);
    EXPECT_EQ(all.false_absent, 0U);
    EXPECT_GT(all.others_absent, 0U);
  }

  testing::MovedClock followers_{};
  testing::MovedClock readers_{};  // of an SQLite database they are its server, too
};

TEST_P(FollowClock, ThatIsSetLetsNoRowBeDenied) {
  const bool has_server = GetParam() != "sqlite_wal";
  expect_to_go_by(followers_);
  expect_to_go_by(readers_);
  if (has_server) expect_server_to_go_by_its_clock();
  const Child following(by(followers_, follower(std::chrono::hours(1))));
  wait_until_followed();
  set_and_expect_no_denial("follower", followers_);
  set_and_expect_no_denial("reader", readers_);
  if (has_server) set_and_expect_no_denial("database", servers_, milliseconds(1000));
}

INSTANTIATE_TEST_SUITE_P(Databases, FollowClock,
                         ::testing::Values("sqlite_wal", "postgres", "mariadb"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace bloomery
