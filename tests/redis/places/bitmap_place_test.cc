// SPDX-License-Identifier: Apache-2.0
// Filters that other systems' programs wrote, asked and filled where they live.

#include "bloomery/redis/places/bitmap_place.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bloomery/format/redisson.h"
#include "tests/redis/places/live_filter_fixture.h"
#include "tests/support/run_threads.h"

namespace bloomery::redis {
namespace {

TEST_F(LiveFilter, ABatchIsOneTransaction) {
  init_redisson("f");
  const auto place = open("redisson", "f");
  std::vector<std::string> texts;
  for (int i = 0; i < 300; ++i) texts.push_back("key" + std::to_string(i));
  const std::vector<Key> keys(texts.begin(), texts.end());
  std::vector<Inserted> outcomes(keys.size());
  ask({"CONFIG", "RESETSTAT"});
  place->insert_many(keys, outcomes);
  EXPECT_EQ(calls("exec"), 1);
  EXPECT_EQ(calls("eval"), 1);
  EXPECT_EQ(calls("setbit"), 0);
  ask({"CONFIG", "RESETSTAT"});
  std::vector<Presence> answers(keys.size());
  place->presence_of_many(keys, answers);
  EXPECT_EQ(calls("exec"), 1);
  EXPECT_EQ(calls("bitfield_ro"), 1);
  EXPECT_EQ(calls("hmget"), 1);
  EXPECT_EQ(calls("getbit"), 0);
}

TEST_F(LiveFilter, SaysWhatWasNew) {
  init_redisson("f");
  const auto place = open("redisson", "f");
  const std::vector<Key> keys{"a", "b", "a"};
  std::vector<Inserted> outcomes(3);
  place->insert_many(keys, outcomes);
  EXPECT_EQ(outcomes, (std::vector{Inserted::added, Inserted::added, Inserted::present}));
}

TEST_F(LiveFilter, LargeBatchesAreCutIntoTransactionsAndTrips) {
  init_redisson("f", "4000000");
  const auto place = open("redisson", "f", "?timeout=60000");
  std::vector<std::string> texts;
  for (int i = 0; i < 14'400; ++i) texts.push_back("key" + std::to_string(i));
  const std::vector<Key> keys(texts.begin(), texts.end());
  place->insert_many(keys);
  for (const Presence answer : answers_of(*place, texts)) ASSERT_EQ(answer, Presence::maybe);
  for (std::string& text : texts) text += "x";
  int absent = 0;
  for (const Presence answer : answers_of(*place, texts)) absent += answer == Presence::absent;
  EXPECT_GE(absent, 14'300);
}

TEST_F(LiveFilter, SaysAbsentOnlyWhereItsBitsAreTrusted) {
  init_redisson("f");
  open("redisson", "f")->insert("in");
  const auto place = open_bitmap_place(redisson::kFormat, at("f"), false);
  EXPECT_EQ(place->presence_of("in"), Presence::maybe);
  EXPECT_EQ(place->presence_of("out"), Presence::unknown);
  EXPECT_EQ(place->head().no_absent, NoAbsent::bits_alone);
  EXPECT_NE(why(NoAbsent::bits_alone).find("trust=bits"), std::string_view::npos);
  EXPECT_EQ(open("redisson", "f")->head().no_absent, NoAbsent::none);
  EXPECT_EQ(
      open_bitmap_place(*find_format("gozero"), at("f", "?bits=80"), false)->presence_of("out"),
      Presence::unknown);
  EXPECT_THROW(open_bitmap_place(redisson::kFormat, at("f", "?trust=all"), false),
               std::invalid_argument);
}

TEST_F(LiveFilter, ACopyIsTheFilterOfOneMoment) {
  init_redisson("f");
  const auto place = open("redisson", "f");
  place->insert_many(std::vector<Key>{"a", "b"});
  const AnyFilter copy = place->copy();
  EXPECT_TRUE(copy.may_contain("a"));
  EXPECT_FALSE(copy.may_contain("c"));
  EXPECT_EQ(copy.parameters().geometry.bit_count, 9585U);
  EXPECT_EQ(copy.parameters().keys.encoding, find_key_encoding("kryo"));
  ask({"SETBIT", "f", "9584", "1"});  // long enough that a new one is no shorter
  place->insert("c");
  const std::string bytes(1'199, '\0');
  ask({"SET", "f", bytes});
  EXPECT_THROW(place->copy(), StoreError) << "not the one that was opened";
  ask({"DEL", "f"});
  EXPECT_THROW(open("redisson", "f")->copy(), StoreError) << "no bitmap";
}

TEST_F(LiveFilter, BehindAFenceSaysNothingIsAbsent) {
  init_redisson("f");
  const auto place = open("redisson", "f");
  place->insert("in");
  const Fence fence{{{.high = 1, .low = 1}, 1}};
  EXPECT_EQ(place->presence_of("out"), Presence::absent);
  EXPECT_EQ(place->presence_of("out", {.fence = &fence}), Presence::unknown);
  EXPECT_EQ(place->presence_of("in", {.fence = &fence}), Presence::maybe);
}

// Each of these is "absent" for the system's own program, or for one that asks bits alone.
TEST_F(LiveFilter, NeverSaysAbsentOfAFilterThatIsNotTheOneItOpened) {
  struct Doubt {
    const char* what;
    std::vector<std::vector<std::string_view>> commands;
  };
  const std::vector<Doubt> doubts{
      {"no bitmap", {{"DEL", "f"}}},
      {"no configuration", {{"DEL", "{f}:config"}}},
      {"part of a configuration", {{"HDEL", "{f}:config", "size"}}},
      {"another size", {{"HSET", "{f}:config", "size", "9586"}}},
      {"the same size otherwise written", {{"HSET", "{f}:config", "size", "09585"}}},
      {"another number of probes", {{"HSET", "{f}:config", "hashIterations", "6"}}},
      {"another type of bitmap", {{"DEL", "f"}, {"LPUSH", "f", "x"}}},
      {"another type of configuration", {{"DEL", "{f}:config"}, {"SET", "{f}:config", "x"}}},
      {"an empty bitmap", {{"SET", "f", ""}}},
      {"a new bitmap that is shorter", {{"DEL", "f"}, {"SETBIT", "f", "5", "1"}}},
      {"a new bitmap of the same length", {{"SET", "f", ""}, {"SETBIT", "f", "9584", "1"}}},
      {"everything gone", {{"FLUSHALL"}}},
      {"a primary that became a replica", {{"REPLICAOF", "127.0.0.1", "1"}}},
  };
  for (const Doubt& doubt : doubts) {
    ask({"REPLICAOF", "NO", "ONE"});
    ask({"FLUSHALL"});
    init_redisson("f");
    const auto place = open("redisson", "f");
    std::vector<std::string> in;
    for (int i = 0; i < 200; ++i) in.push_back("in" + std::to_string(i));
    place->insert_many(std::vector<Key>(in.begin(), in.end()));
    ASSERT_EQ(place->presence_of("out"), Presence::absent) << doubt.what;
    for (const auto& command : doubt.commands) client_->run(Request().add(command), Repeat::never);
    for (const Presence answer : answers_of(*place, in)) {
      ASSERT_NE(answer, Presence::absent) << doubt.what;
    }
    EXPECT_EQ(place->presence_of("out"), Presence::unknown) << doubt.what;
    EXPECT_THROW(place->head(), StoreError) << doubt.what;
    EXPECT_THROW(place->insert("x"), StoreError) << doubt.what;
  }
}

TEST_F(LiveFilter, NeverSaysAbsentOfABitmapThatIsLongerThanItsSettingsAllow) {
  std::vector<std::string> in;
  for (int i = 0; i < 200; ++i) in.push_back("in" + std::to_string(i));
  open("gozero", "f", "?bits=20000")->insert_many(std::vector<Key>(in.begin(), in.end()));
  for (const std::string settings : {"?bits=10000", "?bits=80"}) {
    const auto place = open("gozero", "f", settings);
    for (const Presence answer : answers_of(*place, in)) ASSERT_NE(answer, Presence::absent);
    EXPECT_THROW(place->head(), StoreError);
    EXPECT_THROW(place->insert("x"), StoreError);
  }
}

TEST_F(LiveFilter, NoBitIsSetInABitmapThatIsNotTheOneThatWasOpened) {
  init_redisson("f");
  const auto large = open("redisson", "f");
  large->insert("in");
  const std::string whole = ask({"GET", "f"}).text;
  ask({"DEL", "f", redisson::config_key("f")});
  init_redisson("f", "100", "3");
  open("redisson", "f")->insert("in");
  const std::string smaller = ask({"GET", "f"}).text;
  EXPECT_THROW(large->insert("x"), StoreError);
  EXPECT_EQ(ask({"GET", "f"}).text, smaller);

  // A string that is shorter than it was is another one, also where nothing stands beside it.
  ask({"SET", "g", whole});
  const auto bare = open("gozero", "g", "?bits=20000");
  ask({"SET", "g", smaller});
  EXPECT_THROW(bare->insert("x"), StoreError);
  EXPECT_EQ(ask({"GET", "g"}).text, smaller);
}

TEST_F(LiveFilter, WhatIsLostAfterTheOpeningIsNoticedByTheFirstQuestion) {
  std::vector<std::string> in;
  for (int i = 0; i < 200; ++i) in.push_back("in" + std::to_string(i));
  open("gozero", "f", "?bits=20000")->insert_many(std::vector<Key>(in.begin(), in.end()));
  for (const std::string_view bit : {"9", "19999"}) {
    const auto place = open("gozero", "f", "?bits=20000");
    ask({"DEL", "f"});
    ask({"SETBIT", "f", bit, "1"});
    for (const Presence answer : answers_of(*place, in)) ASSERT_NE(answer, Presence::absent);
    ask({"DEL", "f"});
    open("gozero", "f", "?bits=20000")->insert_many(std::vector<Key>(in.begin(), in.end()));
  }
}

TEST_F(LiveFilter, ALostFilterStaysLostHoweverItIsFilledAgain) {
  init_redisson("f");
  const auto place = open("redisson", "f");
  place->insert("in");
  const std::string bytes = ask({"GET", "f"}).text;
  ask({"DEL", "f"});
  EXPECT_EQ(place->presence_of("in"), Presence::unknown);
  ask({"SET", "f", bytes});
  EXPECT_EQ(place->presence_of("in"), Presence::maybe);
  EXPECT_EQ(place->presence_of("out"), Presence::unknown);
  EXPECT_EQ(open("redisson", "f")->presence_of("out"), Presence::absent) << "opened again";
}

TEST_F(LiveFilter, AReplicaMayBeAllowed) {
  init_redisson("f");
  open("redisson", "f")->insert("in");
  ask({"CONFIG", "SET", "replica-serve-stale-data", "yes"});
  ask({"REPLICAOF", "127.0.0.1", "1"});
  EXPECT_EQ(open("redisson", "f")->presence_of("out"), Presence::unknown);
  EXPECT_EQ(open("redisson", "f", "?replica=1")->presence_of("out"), Presence::absent);
  EXPECT_THROW(open("redisson", "f", "?replica=1")->insert("x"), RefusedError);
}

TEST_F(LiveFilter, WhatTheServerRefusesThrowsAndLeavesUnknown) {
  init_redisson("f");
  ask({"ACL", "SETUSER", "reader", "on", ">pw", "~f", "~{f}:config", "+multi", "+exec", "+echo",
       "+role", "+strlen", "+hmget", "+bitfield_ro"});
  const std::string user = "?user=reader&password_env=BLOOMERY_TEST_READER";
  setenv("BLOOMERY_TEST_READER", "pw", 1);
  open("redisson", "f")->insert("in");
  const auto place = open("redisson", "f", user);
  EXPECT_EQ(place->presence_of("in"), Presence::maybe);
  EXPECT_EQ(place->presence_of("out"), Presence::absent) << "the least rights suffice";
  const auto refusal = [&](auto call) -> std::optional<Refusal> {
    try {
      call();
    } catch (const RefusedError& error) {
      return error.refusal;
    }
    return std::nullopt;
  };
  EXPECT_EQ(refusal([&] { place->insert("x"); }), Refusal::no_permission);
  ask({"ACL", "SETUSER", "reader", "-role"});
  const Key key = "out";
  Presence answer = Presence::unknown;
  EXPECT_EQ(refusal([&] {
              place->presence_of_many({&key, 1}, {&answer, 1});
            }),
            Refusal::no_permission);
  EXPECT_EQ(answer, Presence::unknown);
}

TEST_F(LiveFilter, IsRefusedWhereThereIsNone) {
  EXPECT_THROW(open("redisson", "f"), StoreError) << "no configuration";
  init_redisson("f", "0");
  EXPECT_THROW(open("redisson", "f"), StoreError);
  init_redisson("f", "4294967295");
  EXPECT_THROW(open("redisson", "f"), StoreError);
  init_redisson("f", "100", "256");
  EXPECT_THROW(open("redisson", "f"), StoreError);
  init_redisson("f");
  EXPECT_THROW(open("redisson", "f", "?legacy=1"), std::invalid_argument);
  EXPECT_THROW(open("gozero", "f"), std::invalid_argument) << "no bits";
  EXPECT_THROW(open("gozero", "f", "?bits=4294967297"), std::invalid_argument);
  EXPECT_THROW(open("php", "f", "?size_kb=1&bits=7"), std::invalid_argument);
  EXPECT_THROW(open("pyrebloom", "f", "?bits=4294967296&probes=3"), std::invalid_argument);
  EXPECT_THROW(open("guava", "f"), std::invalid_argument);
  EXPECT_THROW(open("redisson", "f", "", false)->insert("x"), std::invalid_argument);
}

TEST_F(LiveFilter, ThreadsMayAskAndInsertTogether) {
  init_redisson("f", "1000000");
  const auto place = open("redisson", "f", "?connections=4");
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 40; ++i) {
        const std::string key = std::to_string(t) + "/" + std::to_string(i);
        place->insert(key);
        EXPECT_EQ(place->presence_of(key), Presence::maybe);
        EXPECT_NE(place->presence_of(key + "x"), Presence::unknown);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(LiveFilter, SingleQuestionsOfManyThreadsShareTrips) {
  init_redisson("f", "1000000");
  const auto place = open("redisson", "f");
  for (int i = 0; i < 32; ++i) place->insert("in" + std::to_string(i));
  ask({"CONFIG", "RESETSTAT"});
  // The pause makes all questions come before the first round trip is back, however busy the
  // machine is.
  ask({"CLIENT", "PAUSE", "400", "ALL"});
  run_threads(64, [&](int t) {
    const std::string number = std::to_string(t / 2);
    EXPECT_EQ(place->presence_of((t % 2 == 0 ? "in" : "out") + number),
              t % 2 == 0 ? Presence::maybe : Presence::absent);
  });
  const int trips = calls("exec");
  EXPECT_LT(trips, 64 / 2);
  EXPECT_EQ(calls("bitfield_ro"), trips);
  ask({"DEL", "f"});
  run_threads(8, [&](int t) {
    EXPECT_EQ(place->presence_of("in" + std::to_string(t)), Presence::unknown);
  });
}

}  // namespace
}  // namespace bloomery::redis
