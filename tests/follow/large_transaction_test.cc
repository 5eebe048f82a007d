// SPDX-License-Identifier: Apache-2.0
// A transaction of many rows, beside readers, and right after it.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "tests/follow/guarded_scene.h"

namespace bloomery {
namespace {

class LargeTransaction : public GuardedScene {
 protected:
  // Commits it after a while, and asks for some of its rows at once, again and again until one of
  // others is told absent.
  std::function<Tally()> large_writer(int row_count) const {
    return [=, this] {
      const auto session = database_->connect();
      const Reader reader(*this);
      session->run(database_->bulk(row_count));
      const auto committed = Clock::now();
      Tally tally;
      while (tally.others_absent == 0 && Clock::now() < committed + std::chrono::minutes(2)) {
        for (int i = 1; i <= row_count; i += row_count / 50) {
          const Presence own = reader.ask("bulk " + std::to_string(i), true);
          ++tally.asked;
          if (own == Presence::absent) ++tally.false_absent;
          if (own == Presence::unknown) ++tally.unknown;
        }
        ++tally.others;
        if (reader.ask("no such row", true) == Presence::absent) ++tally.others_absent;
      }
      printf("%s: %d rows were carried %.2f s after their commit\n", GetParam().c_str(), row_count,
             std::chrono::duration<double>(Clock::now() - committed).count());
      fflush(stdout);
      return tally;
    };
  }
};

TEST_P(LargeTransaction, DeniesNoRowOfItAndNoneBesideIt) {
  const Child following(follower(std::chrono::hours(1)));
  wait_until_followed();
  fewest_absent_ = 1;
  Tally large;
  int turn = 0;
  const Tally beside = run_writers(scene_time(2000), writers(true), [&] {
    if (turn++ == 0) large = Child(large_writer(is_long() ? 1'000'000 : 100'000)).finish();
    std::this_thread::sleep_for(milliseconds(50));
  });
  printf("%s: of the large one: asked %ju, false absent %ju, unknown %ju\n", GetParam().c_str(),
         std::uintmax_t{large.asked}, std::uintmax_t{large.false_absent},
         std::uintmax_t{large.unknown});
  EXPECT_GT(large.asked, 0U);
  EXPECT_EQ(large.false_absent, 0U);
  EXPECT_EQ(large.others_absent, 1U) << "it is never carried";
  EXPECT_GT(beside.asked, 5U);
  EXPECT_EQ(beside.false_absent, 0U);
  EXPECT_GT(beside.others_absent, 0U);
}

INSTANTIATE_TEST_SUITE_P(Databases, LargeTransaction,
                         ::testing::Values("sqlite_wal", "sqlite_delete", "postgres", "mariadb",
                                           "mysql"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace bloomery
