// SPDX-License-Identifier: Apache-2.0
// What puts filters into several strings of a server, in the place of others.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/redis/places/partitioned_fixture.h"
#include "tests/support/run_threads.h"

namespace bloomery::redis {
namespace {

using PartitionedLoadTest = PartitionedTest;

TEST_F(PartitionedLoadTest, AReloadWhoseIndexIsLostMeanwhileSaysSo) {
  load_keys(0, 100);
  const auto reload = [&] {
    load_keys(100, 200, {.old = OldFilter::keep, .progress = [&](auto...) { ask({"DEL", "f"}); }});
  };
  EXPECT_THROW(reload(), StoreError);
}

TEST_F(PartitionedLoadTest, IsReadByNobodyBeforeAllPartsAreThere) {
  load_keys(0, 1000);
  const std::string index = ask({"GET", "f"}).text;
  ask({"DEL", "f"});
  EXPECT_THROW(open(false), StoreError);
  const std::string location = at();
  EXPECT_THROW(open_native_place(location.substr(0, location.find('#')) + "#" +
                                     part(0).substr(0, part(0).find('{')) + "%7B" +
                                     part(0).substr(part(0).find('{') + 1),
                                 false),
               std::exception)
      << "a part is no filter";
  // Partitions of a load that did not end are reported, and not taken for anything.
  EXPECT_THROW(load_keys(0, 1000), StoreError);
  EXPECT_THROW(load_keys(0, 1000, {.old = OldFilter::keep}), StoreError);
  EXPECT_TRUE(destroy_native(*client_));
  EXPECT_EQ(ask({"DBSIZE"}).number, 0);

  // The parts of another load behind an index: all unknown.
  load_keys(0, 1000);
  ask({"SET", "f", index});
  const auto place = open(false);
  EXPECT_EQ(count_of(*place, texts_of(0, 2000), Presence::absent), 0U);
  EXPECT_THROW(place->head(), StoreError);
  EXPECT_THROW(load_keys(0, 1000, {.old = OldFilter::keep}), StoreError);
}

TEST_F(PartitionedLoadTest, AReloadKeepsWhatIsThereUnlessTold) {
  load_keys(0, 1000);
  EXPECT_THROW(load_keys(0, 10), StoreError);
  const auto place = open();
  const Identity identity = place->head().identity;
  insert_texts(*place, texts_of(1000, 1100));
  std::uint64_t done = 0;
  load_keys(1100, 1500,
            {.old = OldFilter::keep, .progress = [&](std::uint64_t at, std::uint64_t of) {
               EXPECT_LE(at, of);
               done = std::max(done, at);
             }});
  EXPECT_GT(done, 0U);
  EXPECT_EQ(count_of(*place, texts_of(0, 1500), Presence::maybe), 1500U);
  EXPECT_EQ(place->head().identity, identity);

  // A filter of another size is loaded only where the old one may go, and its partitions go with
  // it.
  EXPECT_THROW(load_keys(0, 10, {.old = OldFilter::keep}, 0.2), StoreError);
  load_keys(2000, 2010, {.old = OldFilter::drop}, 0.2);
  EXPECT_EQ(count_of(*place, texts_of(3000, 3100), Presence::unknown), 100U);
  EXPECT_EQ(ask({"DBSIZE"}).number, 1 + kParts);
  Client other(parse_location(at("partitions=6")));
  load_native(other, filter_of(0, 10).contents(), {.old = OldFilter::drop});
  EXPECT_EQ(ask({"DBSIZE"}).number, 1 + 6);
  EXPECT_EQ(count_of(*open(), texts_of(0, 10), Presence::maybe), 10U);
  EXPECT_THROW(open_native_place(at("partitions=4"), false), StoreError);
  // A filter of one string takes its place, and the reverse.
  Client one(parse_location(at("partitions=1")));
  load_native(one, filter_of(0, 10).contents(), {.old = OldFilter::drop});
  EXPECT_EQ(ask({"DBSIZE"}).number, 1);
  EXPECT_EQ(count_of(*open(), texts_of(0, 10), Presence::maybe), 10U);
  EXPECT_THROW(load_keys(0, 10, {.old = OldFilter::keep}), StoreError);
  load_keys(0, 10, {.old = OldFilter::drop});
  EXPECT_EQ(ask({"DBSIZE"}).number, 1 + kParts);
  open()->destroy();
  EXPECT_EQ(ask({"DBSIZE"}).number, 0);
}

// The time to live is kept in strings that were not there before, too; the key beside a string has
// an hour, not ten.
TEST_F(PartitionedLoadTest, AReloadKeepsTheTimeToLiveOfTheWholeFilter) {
  const auto reload = [&](std::uint32_t parts) {
    Client client(parse_location(at("partitions=" + std::to_string(parts))));
    load_native(client, filter_of(0, 10).contents(), {.old = OldFilter::drop});
  };
  constexpr std::int64_t kHour = 3'600'000;
  const auto expect_lives = [&](std::uint32_t parts, std::int64_t from, std::int64_t to) {
    std::vector<std::string> keys{"f"};
    for (std::uint32_t i = 0; parts > 1 && i < parts; ++i) {
      keys.push_back(partition_key("f", i, parts));
    }
    ASSERT_EQ(ask({"DBSIZE"}).number, static_cast<std::int64_t>(keys.size()));
    for (const std::string& each : keys) {
      const std::int64_t left = ask({"PTTL", each}).number;
      EXPECT_TRUE(from <= left && left <= to) << each << " of " << parts << ": " << left;
    }
  };
  load_keys(0, 100);
  expect_lives(kParts, -1, -1);
  ask({"PEXPIRE", "f", std::to_string(10 * kHour)});
  for (std::uint32_t i = 0; i < kParts; ++i) {
    ask({"PEXPIRE", part(i), std::to_string(10 * kHour)});
  }
  for (const std::uint32_t parts : {kParts, 6U, 1U, kParts}) {
    reload(parts);
    expect_lives(parts, 9 * kHour, 10 * kHour);
  }
  load_keys(10, 20, {.old = OldFilter::keep});
  expect_lives(kParts, 9 * kHour, 10 * kHour);
  ask({"FLUSHALL"});
  reload(kParts);
  reload(6);
  expect_lives(6, -1, -1);
}

// A part may have been lost, and its key taken by somebody else.
TEST_F(PartitionedLoadTest, AReloadRemovesNothingButThePartsOfItsFilter) {
  load_keys(0, 100);
  ask({"SET", part(1), "somebody's"});
  ask({"DEL", part(2)});
  ask({"RPUSH", part(2), "somebody's"});
  Client other(parse_location("redis+unix://" + shared_->server.socket() + "#g"));
  load_native(other, filter_of(0, 10).contents(), {});
  ask({"COPY", "g", part(3), "REPLACE"});  // a filter, but no part of that one
  Client one(parse_location(at("partitions=1")));
  load_native(one, filter_of(0, 10).contents(), {.old = OldFilter::drop});
  EXPECT_EQ(ask({"EXISTS", part(0)}).number, 0);
  EXPECT_EQ(ask({"GET", part(1)}).text, "somebody's");
  EXPECT_EQ(ask({"LLEN", part(2)}).number, 1);
  EXPECT_EQ(ask({"EXISTS", part(3)}).number, 1);
}

TEST_F(PartitionedLoadTest, ClearsNothingButTheFilterThatItHasSeen) {
  const AnyFilter empty = filter_of(0, 0);
  const auto clear = [&](const std::function<void()>& meanwhile = {}) {
    bool is_first = true;
    load_native(*client_, empty.contents(),
                {.old = OldFilter::clear, .progress = [&](std::uint64_t, std::uint64_t) {
                   if (std::exchange(is_first, false) && meanwhile) meanwhile();
                 }});
  };
  const auto expect_whole = [&](int keys) {
    EXPECT_EQ(count_of(*open(false), texts_of(0, keys), Presence::maybe), keys);
    EXPECT_EQ(ask({"DBSIZE"}).number, 1 + kParts) << "and nothing is beside";
  };
  EXPECT_THROW(clear(), StoreError) << "nothing is there";
  load_keys(0, 1000);
  const Identity identity = open()->head().identity;
  clear();
  EXPECT_EQ(count_of(*open(false), texts_of(0, 1000), Presence::maybe), 0U);
  EXPECT_FALSE(open()->head().identity == identity);
  insert_texts(*open(), texts_of(0, 100));
  expect_whole(100);

  EXPECT_THROW(clear([&] { load_keys(0, 500, {.old = OldFilter::drop}); }), StoreError);
  expect_whole(500);
  EXPECT_THROW(clear([&] { ask({"FLUSHALL"}); }), StoreError);
  EXPECT_EQ(ask({"DBSIZE"}).number, 0);
  load_keys(0, 500);
  EXPECT_THROW(clear([&] { clear(); }), StoreError) << "another one was faster";
  insert_texts(*open(), texts_of(0, 100));
  expect_whole(100);
  ask({"SET", part(2), "somebody's"});
  EXPECT_THROW(clear(), StoreError);
  EXPECT_EQ(ask({"GET", part(2)}).text, "somebody's");
  EXPECT_EQ(count_of(*open(false), texts_of(0, 100), Presence::absent), 0U);
}

// The load that took the first partition last gets all.
TEST_F(PartitionedLoadTest, OfTwoDiscardingLoadsAtOnceOneIsWhole) {
  load_keys(0, 10);
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> failed = 0;
    run_threads(2, [&](int i) {
      Client client(client_->location());
      try {
        load_native(client, filter_of(1000 * i, 1000 * i + 500).contents(),
                    {.old = OldFilter::drop});
      } catch (const StoreError&) {
        ++failed;
      }
    });
    EXPECT_LT(failed, 2);
    const auto place = open(false);
    const auto first = count_of(*place, texts_of(0, 500), Presence::maybe);
    const auto second = count_of(*place, texts_of(1000, 1500), Presence::maybe);
    EXPECT_TRUE(first == 500 || second == 500) << first << " and " << second;
    EXPECT_EQ(count_of(*place, texts_of(0, 500), Presence::unknown), 0U);
    EXPECT_EQ(ask({"DBSIZE"}).number, 1 + kParts);
  }
}

// Whoever puts his index in the place of another one removes what that one had.
TEST_F(PartitionedLoadTest, OfDiscardingLoadsInOtherPartitionsNoneIsLeft) {
  load_keys(0, 10);
  load_keys(0, 500, {.old = OldFilter::drop, .progress = [&](auto...) {
                       Client client(parse_location(at("partitions=2")));
                       load_native(client, filter_of(1000, 1500).contents(),
                                   {.old = OldFilter::drop});
                     }});
  EXPECT_EQ(count_of(*open(false), texts_of(0, 500), Presence::maybe), 500U);
  EXPECT_EQ(ask({"DBSIZE"}).number, 1 + kParts);

  // A single string takes the place of what came while it was sent, too.
  Client one(parse_location(at("partitions=1")));
  load_native(one, filter_of(1000, 1500).contents(),
              {.old = OldFilter::drop,
               .progress = [&](auto...) { load_keys(0, 500, {.old = OldFilter::drop}); }});
  EXPECT_EQ(ask({"DBSIZE"}).number, 1);
  EXPECT_EQ(count_of(*open(false), texts_of(1000, 1500), Presence::maybe), 500U);

  for (int round = 0; round < 20; ++round) {
    run_threads(2, [&](int i) {
      Client client(parse_location(at("partitions=" + std::to_string(2 + i))));
      load_native(client, filter_of(1000 * i, 1000 * i + 500).contents(), {.old = OldFilter::drop});
    });
    const auto place = open(false);
    const bool is_first = count_of(*place, texts_of(0, 500), Presence::maybe) == 500;
    EXPECT_EQ(ask({"DBSIZE"}).number, is_first ? 3 : 4);
    EXPECT_EQ(count_of(*place, texts_of(1000, 1500), Presence::maybe) == 500, !is_first);
  }
}

TEST_F(PartitionedLoadTest, AnIndexThatIsSomebodyElsesStays) {
  ask({"RPUSH", "f", "somebody's"});
  EXPECT_THROW(load_keys(0, 100, {.old = OldFilter::drop}), StoreError);
  EXPECT_EQ(ask({"LLEN", "f"}).number, 1);
  EXPECT_EQ(ask({"DBSIZE"}).number, 1) << "nothing is beside";
  ask({"DEL", "f"});
  ask({"SET", "f", "somebody's"});
  EXPECT_THROW(load_keys(0, 100, {.old = OldFilter::drop_if_filter}), StoreError);
  EXPECT_EQ(ask({"GET", "f"}).text, "somebody's");
  load_keys(0, 100, {.old = OldFilter::drop});  // its caller said so
  EXPECT_EQ(count_of(*open(false), texts_of(0, 100), Presence::maybe), 100U);
}

// The first partition does not tell: it would be taken for what a load left that did not end.
TEST_F(PartitionedLoadTest, WhatIsThereIsKnownByItsIndex) {
  const auto why = [&] {
    try {
      load_keys(0, 100);
    } catch (const StoreError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  load_keys(0, 100);
  EXPECT_NE(why().find("already exists"), std::string::npos) << why();
  ask({"FLUSHALL"});
  ask({"RPUSH", "f", "somebody's"});
  EXPECT_NE(why().find("WRONGTYPE"), std::string::npos) << why();
  EXPECT_EQ(ask({"DBSIZE"}).number, 1) << "no partition is left";
}

TEST_F(PartitionedLoadTest, AUserWhoMayNotDoAllOfItLeavesTheIndex) {
  load_keys(0, 100);
  setenv("BLOOMERY_TEST_LOADER", "any", 1);
  for (const std::string_view missing :
       {"-bitcount", "-multi", "-persist", "-pexpireat", "-pttl", "-rename", "-role", "-strlen"}) {
    ask({"ACL", "SETUSER", "loader", "reset", "on", "nopass", "~*", "+@all", missing});
    Client client(parse_location(at("user=loader&password_env=BLOOMERY_TEST_LOADER&partitions=4")));
    EXPECT_THROW(load_native(client, filter_of(0, 200).contents(), {.old = OldFilter::drop}),
                 StoreError)
        << missing;
    EXPECT_EQ(count_of(*open(false), texts_of(0, 100), Presence::maybe), 100U) << missing;
    EXPECT_EQ(ask({"DBSIZE"}).number, 1 + kParts) << missing;
  }
  ask({"ACL", "DELUSER", "loader"});
}

TEST_F(PartitionedLoadTest, ALoadThatCannotEndLeavesTheIndex) {
  load_keys(0, 100);
  ask({"DEL", part(kParts - 1)});
  ask({"RPUSH", part(kParts - 1), "somebody's"});
  EXPECT_THROW(load_keys(0, 200, {.old = OldFilter::drop}), StoreError);
  EXPECT_GT(count_of(*open(false), texts_of(0, 100), Presence::maybe), 0U);
  EXPECT_EQ(ask({"LLEN", part(kParts - 1)}).number, 1);
  EXPECT_EQ(ask({"DBSIZE"}).number, 1 + kParts) << "nothing is beside";
}

}  // namespace
}  // namespace bloomery::redis
