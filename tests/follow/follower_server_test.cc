// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/follow/followed_place.h"
#include "bloomery/follow/follower.h"
#include "bloomery/open/open_place.h"
#include "bloomery/redis/places/partition_keys.h"
#include "tests/follow/follower_server_fixture.h"

namespace bloomery {
namespace {

TEST_F(FollowerInServerTest, BringsUpAgainWhatAServerLost) {
  insert("before ", 100);
  FollowedPlace place(bitmap(), blocked);
  const auto from = source();
  Follower follower(*from, place, {});
  Following running(follower);
  running.wait_until_followed();
  server_->ask("COPY users saved");
  insert("lost ", 100);
  running.wait_for(fence());

  // An older copy of the filter, under an open connection: it goes on from there, without a scan.
  server_->ask("COPY saved users REPLACE");
  insert("after ", 100);
  wait_in_server();
  EXPECT_EQ(follower.status().rebuilds, 1U);
  expect_in(*reader(), "lost ", 100, fence());
  expect_in(*reader(), "after ", 100, fence());

  // Nothing at all.
  server_->ask("COPY saved kept");
  server_->ask("DEL users");
  insert("again ", 100);
  wait_in_server();
  running.wait_until([](const FollowerStatus& now) { return now.rebuilds == 2; });
  for (const std::string prefix : {"before ", "lost ", "after ", "again "}) {
    expect_in(*reader(), prefix, 100, fence());
  }

  // The copy of the filter that was there before the scan.
  server_->ask("COPY kept users REPLACE");
  insert("last ", 100);
  wait_in_server();
  for (const std::string prefix : {"before ", "lost ", "after ", "again ", "last "}) {
    expect_in(*reader(), prefix, 100, fence());
  }
}

TEST_F(FollowerInServerTest, LoadsAllRowsAgainIntoAFilterThatWasCleared) {
  const std::string server = "redis+unix://" + server_->socket();
  for (const std::string& location :
       {"bitmap:" + server + "#users", "bitmap:" + server + "?partitions=3#parts",
        "gozero:" + server + "?bits=400000&trailer=1#bits"}) {
    SCOPED_TRACE(location);
    const PlaceLocation at = parse_place_location(location);
    insert(location + " before ", 2000);
    const auto make = [&](const FilterOptions& options) {
      return at.is_own_bitmap() ? blocked(options)
                                : at.format->create(options, {{"bits", "400000"}});
    };
    FollowedPlace place(at, make);
    const auto from = source();
    Follower follower(*from, place, {.look_every = std::chrono::milliseconds(20)});
    Following running(follower);
    running.wait_until_followed();
    const auto reader = open_place(at);
    expect_in(*reader, location + " before ", 2000, fence());
    for (std::uint64_t rebuilds = 2; rebuilds < 4; ++rebuilds) {
      clear(at);
      const auto asked = ask(*reader, location + " before ", 2000, fence());
      EXPECT_EQ(std::ranges::count(asked, Presence::absent), 0);
      running.wait_until([&](const FollowerStatus& now) { return now.rebuilds >= rebuilds; });
      insert(location + " after " + std::to_string(rebuilds) + " ", 100);
      running.wait_for(fence());
      const auto again = open_place(at);
      expect_in(*again, location + " before ", 2000, fence());
      expect_in(*again, location + " after " + std::to_string(rebuilds) + " ", 100, fence());
    }
  }
}

// The follower's keys would be none in that form, and a watermark above them would let rows be
// denied.
TEST_F(FollowerInServerTest, PutsNoKeyIntoAFilterWhoseKeysAreWrittenInAnotherForm) {
  insert("before ", 10);
  FollowedPlace place(bitmap(), blocked);
  const auto from = source();
  Follower follower(*from, place, {.longest_pause = std::chrono::milliseconds(50)});
  Following running(follower);
  running.wait_until_followed();

  AnyFilter other = blocked({.capacity = 1000});
  other.set_keys({KeyEncoding::i64});
  save(other.contents(), bitmap(), {.file = {.replace = true}, .discard = true});
  const PlaceHead put = reader()->head();
  const std::uint64_t failures = follower.status().failures;
  insert("after ", 10);
  running.wait_until([&](const FollowerStatus& now) { return now.failures > failures + 2; });
  EXPECT_THAT(follower.status().last_error, ::testing::HasSubstr("written as i64"));
  EXPECT_EQ(reader()->head().identity, put.identity) << "it is somebody's";
  EXPECT_EQ(reader()->head().inserted, 0U);
  EXPECT_EQ(reader()->head().watermark, std::nullopt);
  EXPECT_THROW(FollowedPlace(bitmap(), blocked), FormatError);

  server_->ask("DEL users");
  wait_in_server();
  expect_in(*reader(), "after ", 10, fence());
}

TEST_F(FollowerInServerTest, GoesOnInASmallerFilterAndMakesADamagedOneAnew) {
  insert("before ", 1000);
  FollowedPlace place(bitmap(), blocked);
  const auto from = source();
  Follower follower(*from, place, {.longest_pause = std::chrono::milliseconds(50)});
  Following running(follower);
  running.wait_until_followed();
  server_->ask("COPY users smaller");
  insert("more ", 2000);  // beyond what it is for
  running.wait_until([](const FollowerStatus& now) { return now.rebuilds == 2; });
  running.wait_for(fence());

  server_->ask("COPY smaller users REPLACE");
  insert("after ", 100);
  running.wait_until([](const FollowerStatus& now) { return now.rebuilds == 3; });
  wait_in_server();
  for (const auto& [prefix, count] :
       {std::pair("before ", 1000), {"more ", 2000}, {"after ", 100}}) {
    const auto answers = ask(*reader(), prefix, count, fence());
    EXPECT_EQ(std::ranges::count(answers, Presence::maybe), count) << prefix;
  }

  server_->ask("APPEND users something");
  EXPECT_THROW(reader(), StoreError);
  insert("last ", 100);
  running.wait_until([](const FollowerStatus& now) { return now.rebuilds == 4; });
  wait_in_server();
  expect_in(*reader(), "after ", 100, fence());
  expect_in(*reader(), "last ", 100, fence());

  // A follower that begins with a damaged filter makes it anew, too.
  server_->ask("COPY users other");
  server_->ask("APPEND other something");
  FollowedPlace second(parse_place_location("bitmap:redis+unix://" + server_->socket() + "#other"),
                       blocked);
  EXPECT_FALSE(second.head().identity.is_set());
}

TEST_F(FollowerInServerTest, RefusesWhatNoStringHoldsBeforeTheTableIsRead) {
  const std::string server = "bitmap:redis+unix://" + server_->socket();
  const FilterOptions large{.capacity = 600'000'000, .false_positive_rate = 0.01};
  FollowedPlace one(parse_place_location(server + "?partitions=1#a"), blocked);
  EXPECT_THROW(one.begin_rebuild(large), std::invalid_argument);
  FollowedPlace many(parse_place_location(server + "#a"), blocked);
  EXPECT_TRUE(many.begin_rebuild(large)) << "in partitions";
}

// A filter of another system with a trailer is made anew, whatever became of its bits or its
// configuration.
TEST_F(FollowerInServerTest, MakesADamagedFilterOfAnotherSystemAnew) {
  insert("row ", 100);
  const std::string server = "redis+unix://" + server_->socket();
  const std::string gozero = "gozero:" + server + "?bits=40000&trailer=1#";
  const std::string redisson = "redisson:" + server + "?trailer=1#";
  struct Loss {
    std::string where;
    std::string command;
  };
  const std::vector<Loss> losses{
      {gozero + "a", "APPEND a x"}, {redisson + "b", "DEL {b}:config"}, {redisson + "c", "DEL c"}};
  for (const auto& [where, loss] : losses) {
    SCOPED_TRACE(loss);
    const PlaceLocation location = parse_place_location(where);
    FormatSettings settings;
    if (where == gozero + "a") settings = {{"bits", "40000"}};
    FollowedPlace place(location, [&](const FilterOptions& options) {
      return location.format->create(options, settings);
    });
    const auto from = source();
    Follower follower(*from, place, watchful());
    {
      Following running(follower);
      running.wait_until_followed();
      server_->ask(loss);
      EXPECT_FALSE(head_to_follow(location)) << "who begins then makes it anew, too";
      running.wait_until([](const FollowerStatus& now) {
        return now.rebuilds == 2 && now.state == FollowerStatus::State::following;
      });
    }
    expect_in(*open_place(location), "row ", 100, fence());
  }
}

// A follower that begins makes it anew, and so does one that runs already.
TEST_F(FollowerInServerTest, MakesAFilterWithoutAPartitionOrItsIndexAnew) {
  insert("row ", 100);
  const auto location =
      parse_place_location("bitmap:redis+unix://" + server_->socket() + "?partitions=2#a");
  const auto follow_once = [&] {
    const auto from = source();
    FollowedPlace place(location, blocked);
    Follower(*from, place, {}).run_once({}, *open_fence(this->location()));
    expect_in(*open_place(location), "row ", 100, fence());
  };
  follow_once();
  for (const std::string& lost : {redis::partition_key("a", 1, 2), std::string("a")}) {
    SCOPED_TRACE(lost);
    server_->ask("DEL '" + lost + "'");
    follow_once();
    const auto from = source();
    FollowedPlace place(location, blocked);
    Follower follower(*from, place, watchful());
    Following running(follower);
    running.wait_until_followed();
    server_->ask("DEL '" + lost + "'");
    running.wait_until([](const FollowerStatus& now) {
      return now.rebuilds == 1 && now.state == FollowerStatus::State::following;
    });
    expect_in(*open_place(location), "row ", 100, fence());
  }
}

// No change of the table finds it.
TEST_F(FollowerInServerTest, NoticesWhatIsLostWhileNothingChanges) {
  insert("row ", 100);
  const std::string server = "bitmap:redis+unix://" + server_->socket();
  const std::string part = redis::partition_key("parts", 1, 3);
  for (const auto& [where, lost] : {std::pair(server + "#users", std::string("users")),
                                    {server + "?partitions=3#parts", part}}) {
    FollowedPlace place(parse_place_location(where), blocked);
    const auto from = source(lost);
    Follower follower(*from, place, {.look_every = std::chrono::milliseconds(20)});
    Following running(follower);
    running.wait_until_followed();
    EXPECT_EQ(server_->ask("DEL " + lost), "1\n") << lost;
    running.wait_until([](const FollowerStatus& now) {
      return now.rebuilds == 2 && now.state == FollowerStatus::State::following;
    });
    EXPECT_EQ(server_->ask("EXISTS " + lost), "1\n") << lost;
  }
}

TEST_F(FollowerInServerTest, AServerWithoutMemoryIsNotBelieved) {
  insert("before ", 100);
  FollowedPlace place(bitmap(), blocked);
  const auto from = source();
  Follower follower(*from, place, {.longest_pause = std::chrono::milliseconds(100)});
  Following running(follower);
  running.wait_until_followed();
  const auto asked = reader();
  server_->ask("CONFIG SET maxmemory 1");
  insert("refused ", 100);
  running.wait_until([](const FollowerStatus& now) { return now.failures > 0; });
  const auto answers = ask(*asked, "refused ", 100, fence());
  EXPECT_EQ(std::ranges::count(answers, Presence::absent), 0) << "it reads, and is behind";
  EXPECT_NE(follower.status().last_error.find("OOM"), std::string::npos)
      << follower.status().last_error;
  server_->ask("CONFIG SET maxmemory 0");
  running.wait_for(fence());
  expect_in(*reader(), "refused ", 100, fence());
  EXPECT_EQ(follower.status().rebuilds, 1U);
}

TEST_F(FollowerInServerTest, TwoFollowersOfOneFilterHarmNobody) {
  insert("before ", 100);
  FollowedPlace one(bitmap(), blocked);
  FollowedPlace two(bitmap(), blocked);
  const auto first = source();
  const auto second = source();
  // A follower that finds that the other has just put another filter there tries again after a
  // pause.
  const FollowerOptions options{.longest_pause = std::chrono::seconds(1)};
  Follower a(*first, one, options);
  Follower b(*second, two, options);
  Following running(a);
  Following beside(b);
  running.wait_until_followed();
  beside.wait_until_followed();
  // None yet, where it found the other's filter and went on from there.
  const auto scans = b.status().rebuilds;
  for (int i = 0; i < 20; ++i) {
    const std::string prefix = "round " + std::to_string(i) + " ";
    insert(prefix, 20);
    if (i == 10) b.rebuild();
    // A scan that ends just now makes the fence another's.
    const auto answers = ask(*reader(), prefix, 20, fence());
    EXPECT_EQ(std::ranges::count(answers, Presence::absent), 0) << prefix;
  }
  beside.wait_until([&](const FollowerStatus& now) { return now.rebuilds > scans; });
  wait_in_server();
  for (int i = 0; i < 20; ++i) {
    expect_in(*reader(), "round " + std::to_string(i) + " ", 20, fence());
  }
}

}  // namespace
}  // namespace bloomery
