// SPDX-License-Identifier: Apache-2.0
// What is where a filter is to be: left alone, or known for a filter that was damaged.

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/follow/followed_place.h"
#include "bloomery/follow/follower.h"
#include "bloomery/open/open_place.h"
#include "bloomery/redis/places/partition_keys.h"
#include "tests/follow/follower_server_fixture.h"

namespace bloomery {
namespace {

using LeftAlone = FollowerInServerTest;

TEST_F(LeftAlone, LeavesWhatIsNoFilterAloneAndGoesOnOnceItIsGone) {
  insert("row ", 100);
  FollowedPlace place(bitmap(), blocked);
  const auto from = source();
  Follower follower(*from, place, watchful());
  Following running(follower);
  running.wait_until_followed();
  server_->ask("SET users something");
  running.wait_until([](const FollowerStatus& now) {
    return now.last_error.find("is left alone") != std::string::npos;
  });
  EXPECT_EQ(server_->ask("GET users"), "something\n");
  EXPECT_THROW(FollowedPlace(bitmap(), blocked), FormatError);
  server_->ask("DEL users");
  running.wait_until([](const FollowerStatus& now) { return now.rebuilds == 2; });
  wait_in_server();
  expect_in(*reader(), "row ", 100, fence());
}

// A bitmap says nothing of itself: a string of another length may be whatever somebody keeps there.
TEST_F(LeftAlone, LeavesAStringAloneOfWhichNothingSaysThatItIsAFilter) {
  insert("row ", 100);
  const auto at = [&](const std::string& settings) {
    return parse_place_location("gozero:redis+unix://" + server_->socket() + "?bits=40000" +
                                settings + "#a");
  };
  const auto make = [](const FilterOptions& options) {
    return find_format("gozero")->create(options, {{"bits", "40000"}});
  };
  for (const std::string trailer : {"&trailer=1", ""}) {
    SCOPED_TRACE(trailer);
    server_->ask("SET a something");
    EXPECT_THROW(FollowedPlace(at(trailer), make), FormatError);
    EXPECT_THROW(head_to_follow(at(trailer)), FormatError);
    EXPECT_EQ(server_->ask("GET a"), "something\n");

    // The string comes while the table is read, too.
    server_->ask("DEL a");
    {
      FollowedPlace place(at(trailer), make);
      const auto rebuild = place.begin_rebuild({.capacity = 100});
      server_->ask("SET a something");
      EXPECT_THROW(rebuild->commit(), StoreError);
    }
    EXPECT_EQ(server_->ask("GET a"), "something\n");

    const auto from = source();
    const auto last = open_fence(location());
    FollowedPlace trusted(at(trailer + "&trust=bits"), make);
    Follower(*from, trusted, {}).run_once({}, *last);
    EXPECT_NE(server_->ask("STRLEN a"), "9\n");
    // A filter that a follower made is followed by the next follower.
    FollowedPlace again(at(trailer), make);
    Follower(*from, again, {}).run_once({}, *last);
    EXPECT_EQ(again.presence_of("row 7"), Presence::maybe);
  }
}

// A client whose bitmap has some more bits writes there; the trailer's checksum or its beginning
// goes.
TEST_F(LeftAlone, LoadsAFilterAgainIntoWhoseTrailerSomebodyWrote) {
  insert("row ", 100);
  const auto at =
      parse_place_location("gozero:redis+unix://" + server_->socket() + "?bits=40000&trailer=1#a");
  const auto make = [](const FilterOptions& options) {
    return find_format("gozero")->create(options, {{"bits", "40000"}});
  };
  const auto from = source();
  const auto last = open_fence(location());
  const auto follow_once = [&] {
    FollowedPlace place(at, make);
    Follower(*from, place, {}).run_once({}, *last);
    expect_in(place, "row ", 100, last->ask());
  };
  follow_once();
  for (const std::string offset : {"5003", "5030", "5078"}) {
    SCOPED_TRACE(offset);
    server_->ask("SETRANGE a " + offset + " xx");
    follow_once();
  }
  // Nothing says any more whose it is.
  server_->ask("SETRANGE a 5000 xxxxxxxxxxxxxxxx");
  EXPECT_THROW(FollowedPlace(at, make), FormatError);
}

// The string comes while the table is read, at the key of a filter or of one of its partitions.
TEST_F(LeftAlone, LeavesAStringAloneThatComesWhereItsOwnFilterIsToBe) {
  const std::string server = "bitmap:redis+unix://" + server_->socket();
  for (const std::string partitions : {"", "?partitions=2"}) {
    const std::string key = partitions.empty() ? "a" : redis::partition_key("a", 1, 2);
    FollowedPlace place(parse_place_location(server + partitions + "#a"), blocked);
    const auto rebuild = place.begin_rebuild({.capacity = 1000});
    server_->ask("SET '" + key + "' something");
    try {
      rebuild->commit({});
      ADD_FAILURE() << "it was replaced";
    } catch (const StoreError& error) {
      EXPECT_NE(std::string(error.what()).find("is left alone"), std::string::npos) << error.what();
    }
    EXPECT_EQ(server_->ask("GET '" + key + "'"), "something\n");
    server_->ask("FLUSHALL");
  }
}

// Reading the string takes a right that only a trailer needs.
TEST_F(LeftAlone, ReadsNoTrailerWhereNoneIsSaid) {
  server_->ask("ACL SETUSER follower on >any ~* +@all -getrange");
  setenv("BLOOMERY_TEST_FOLLOWER", "any", 1);
  const auto at =
      parse_place_location("gozero:redis+unix://" + server_->socket() +
                           "?bits=40000&user=follower&password_env=BLOOMERY_TEST_FOLLOWER#a");
  FollowedPlace place(at, [](const FilterOptions& options) {
    return find_format("gozero")->create(options, {{"bits", "40000"}});
  });
  const auto rebuild = place.begin_rebuild({.capacity = 100});
  rebuild->insert_many(std::vector<Key>{"row"}, {});
  EXPECT_NO_THROW(rebuild->commit({}));
  EXPECT_EQ(place.presence_of("row"), Presence::maybe);
}

}  // namespace
}  // namespace bloomery
