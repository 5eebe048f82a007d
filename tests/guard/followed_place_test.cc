// SPDX-License-Identifier: Apache-2.0
// Writers, readers that ask right after the commit, and a filter that is always a little behind.

#include <gtest/gtest.h>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/place/coalesced_fence.h"
#include "bloomery/place/fenced_place.h"
#include "bloomery/place/memory_place.h"
#include "tests/guard/followed.h"

namespace bloomery {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

struct Tally {
  std::atomic<std::uint64_t> asked = 0;          // of rows right after their commit
  std::atomic<std::uint64_t> false_absents = 0;  // of these
  std::atomic<std::uint64_t> never_there = 0;
  std::atomic<std::uint64_t> denied = 0;  // of these
};

const FilterOptions kFilter{.capacity = 200'000, .false_positive_rate = 0.001};

// Three of each, for a while. Each reader asks for a row that a writer has just committed, and for
// one that nobody ever writes.
void run_traffic(FollowedDatabase& database, FilterPlace& asked, milliseconds time, Tally& tally) {
  const auto until = steady_clock::now() + time;
  std::vector<std::thread> threads;
  for (int writer = 0; writer < 3; ++writer) {
    threads.emplace_back([&, writer] {
      for (int i = 0; steady_clock::now() < until; ++i) {
        const std::string key = std::to_string(writer) + "/" + std::to_string(i);
        database.commit(key);
        // In a reader's place: the acknowledgement is what it asks after.
        tally.false_absents += asked.presence_of(key) == Presence::absent ? 1 : 0;
        ++tally.asked;
      }
    });
  }
  for (int reader = 0; reader < 3; ++reader) {
    threads.emplace_back([&, reader] {
      for (int i = 0; steady_clock::now() < until; ++i) {
        const std::string key = "never/" + std::to_string(reader) + "/" + std::to_string(i);
        const Presence presence = asked.presence_of(key);
        ++tally.never_there;
        tally.denied += presence == Presence::absent ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

struct Followed {
  explicit Followed(std::chrono::microseconds lag)
      : place(make_filter(FilterKind::blocked, kFilter)),
        fence([this] { return database.fence_source(); }),
        fenced(place, [this](const CallContext& context) { return fence.ask(context); },
               {.longest_wait = std::chrono::seconds(2)}),
        follower(database, place,
                 {.lag = lag, .rebuild_every = milliseconds(100), .rebuilt = kFilter}) {
    place.ready();
  }

  FollowedDatabase database;
  MemoryPlace<AnyFilter> place;
  CoalescedFence fence;
  FencedPlace fenced;
  PlayedFollower follower;
};

TEST(FollowedPlace, BehindTheFenceNoRowIsDeniedThatWasCommitted) {
  Followed world(std::chrono::milliseconds(5));
  Tally tally;
  run_traffic(world.database, world.fenced, milliseconds(350), tally);
  EXPECT_EQ(tally.false_absents, 0U);
  EXPECT_GT(tally.asked, 0U);
  EXPECT_GT(world.follower.rebuilds(), 0);
  EXPECT_GE(static_cast<double>(tally.denied), 0.99 * static_cast<double>(tally.never_there));
  EXPECT_LT(world.fence.questions(), tally.asked + tally.never_there);
}

TEST(FollowedPlace, WithoutTheFenceRowsAreDenied) {
  Followed world(std::chrono::milliseconds(5));
  Tally tally;
  run_traffic(world.database, world.place, milliseconds(50), tally);
  EXPECT_GT(tally.false_absents, 0U);
}

}  // namespace
}  // namespace bloomery
