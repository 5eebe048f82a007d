// SPDX-License-Identifier: Apache-2.0
// Filters that are built here and put where they live, all at once.

#include "bloomery/redis/places/bulk_load.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/format/redisson.h"
#include "bloomery/redis/places/bitmap_place.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/redis_server.h"

namespace bloomery::redis {
namespace {

using testing::RedisServer;

class Loading : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::is_installed()) GTEST_SKIP() << "no redis-server here";
    server_ = std::make_unique<RedisServer>(folder_.path().string());
    client_ = std::make_unique<Client>(parse_location(at("f")));
  }

  std::string at(const std::string& key, const std::string& settings = "") const {
    return "redis+unix://" + server_->socket() + settings + "#" + key;
  }
  std::unique_ptr<FilterPlace> open() const {
    return open_bitmap_place(redisson::kFormat, at("f", "?trust=bits"), true);
  }
  Reply ask(std::initializer_list<std::string_view> words) {
    const Answer answer = client_->run(Request().add(words), Repeat::never);
    return require_done(answer.replies.at(0), client_->location());
  }
  // A filter with the keys FROM to TO.
  static AnyFilter filter(int from, int to, std::uint64_t capacity = 1'000'000) {
    AnyFilter filter =
        redisson::kFormat.create({.capacity = capacity, .false_positive_rate = 0.001}, {});
    for (int i = from; i < to; ++i) filter.insert(std::to_string(i));
    return filter;
  }
  void load(const AnyFilter& filter, const BulkOptions& options = {}) {
    bulk_load(*client_, redisson::kFormat, filter.contents(), options);
  }
  // Returns the message of the error that load() throws.
  std::string refusal(const AnyFilter& filter, const BulkOptions& options = {}) {
    try {
      load(filter, options);
    } catch (const StoreError& error) {
      return error.what();
    }
    return "not refused";
  }
  static int count_found(FilterPlace& place, int from, int to) {
    int found = 0;
    for (int i = from; i < to; ++i) {
      found += place.presence_of(std::to_string(i)) == Presence::maybe ? 1 : 0;
    }
    return found;
  }

  testing::ScratchFolder folder_;
  std::unique_ptr<RedisServer> server_{};
  std::unique_ptr<Client> client_{};
};

TEST_F(Loading, MakesTheKeysThatRedissonMakes) {
  EXPECT_FALSE(is_taken(*client_, redisson::kFormat));
  const AnyFilter made = filter(0, 50, 1'000);
  load(made);
  EXPECT_TRUE(is_taken(*client_, redisson::kFormat));
  const auto config = redisson::settings_of(redisson::config_for(1'000, 0.001));
  for (const auto& [name, value] : config) {
    EXPECT_EQ(ask({"HGET", "{f}:config", name}).text, value);
  }
  std::string bytes;
  redisson::kFormat.encode(made.contents(), [&](std::span<const std::byte> piece) {
    bytes.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  });
  const std::string stored = ask({"GET", "f"}).text;
  EXPECT_EQ(stored.size(), (made.parameters().geometry.bit_count + 7) / 8) << "its whole length";
  EXPECT_EQ(stored.substr(0, bytes.size()), bytes);
  EXPECT_EQ(stored.find_first_not_of('\0', bytes.size()), std::string::npos);
  EXPECT_EQ(ask({"DBSIZE"}).number, 2) << "and no others";
  EXPECT_EQ(ask({"PTTL", "f"}).number, -1);
  EXPECT_EQ(count_found(*open(), 0, 50), 50);
  EXPECT_EQ(open()->presence_of("out"), Presence::absent);
}

TEST_F(Loading, TravelsInPiecesAndNeverBitByBit) {
  std::uint64_t last = 0;
  std::uint64_t all = 0;
  const AnyFilter made = filter(0, 2'000);  // 1.8 MiB
  load(made, {.progress = [&](std::uint64_t done, std::uint64_t of) {
         EXPECT_GE(done, last);
         last = done;
         all = of;
       }});
  EXPECT_EQ(last, all);
  EXPECT_EQ(all, (made.parameters().geometry.bit_count + 7) / 8);
  const std::string stats = ask({"INFO", "commandstats"}).text;
  EXPECT_EQ(stats.find("setbit"), std::string::npos);
  EXPECT_NE(stats.find("cmdstat_setrange:calls=2,"), std::string::npos) << stats;
  EXPECT_EQ(count_found(*open(), 0, 200), 200);
}

TEST_F(Loading, LeavesAloneWhatIsThereUnlessTold) {
  load(filter(0, 10));
  EXPECT_NE(refusal(filter(10, 20)).find("already exists"), std::string::npos);
  EXPECT_EQ(open()->presence_of("15"), Presence::absent);
  ask({"DEL", "f"});
  EXPECT_NE(refusal(filter(10, 20)).find("already exists"), std::string::npos) << "configured";
  ask({"DEL", "{f}:config"});
  ask({"RPUSH", "f", "a list"});
  EXPECT_NE(refusal(filter(0, 1), {.old = OldFilter::drop}).find("WRONGTYPE"), std::string::npos);
  EXPECT_EQ(ask({"LLEN", "f"}).number, 1);
  EXPECT_EQ(ask({"DBSIZE"}).number, 1) << "nothing half made";
}

TEST_F(Loading, KeepsWhatOthersAddMeanwhile) {
  load(filter(0, 100));
  std::atomic<bool> done = false;
  int added = 1'000;
  std::thread writer([&] {
    const auto place = open();
    while (!done) place->insert(std::to_string(added++));
  });
  for (int i = 0; i < 3; ++i) load(filter(100, 200), {.old = OldFilter::keep});
  done = true;
  writer.join();
  const auto place = open();
  EXPECT_EQ(count_found(*place, 0, 200), 200);
  EXPECT_EQ(count_found(*place, 1'000, added), added - 1'000);
}

TEST_F(Loading, ReplacesAnotherSizeOnlyWhereItsKeysMayBeLost) {
  load(filter(0, 100, 1'000));
  const auto before = open();
  EXPECT_EQ(before->presence_of("5"), Presence::maybe);
  EXPECT_NE(refusal(filter(0, 50), {.old = OldFilter::keep}).find("--discard"), std::string::npos);
  EXPECT_EQ(count_found(*before, 0, 100), 100);
  load(filter(50, 100), {.old = OldFilter::drop});
  EXPECT_EQ(count_found(*open(), 50, 100), 50);
  EXPECT_EQ(open()->presence_of("5"), Presence::absent);
  EXPECT_EQ(before->presence_of("5"), Presence::unknown) << "its configuration has changed";
}

TEST_F(Loading, ClearsOnlyTheFilterThatItWasToldOf) {
  const BulkOptions clears{.old = OldFilter::clear};
  EXPECT_NE(refusal(filter(0, 0), clears).find("no filter is there"), std::string::npos);
  EXPECT_EQ(ask({"DBSIZE"}).number, 0);
  load(filter(0, 100, 1'000));
  ask({"HSET", "{f}:config", "of", "others"});
  ask({"PEXPIRE", "f", "36000000"});
  ask({"PEXPIRE", "{f}:config", "36000000"});
  EXPECT_NE(refusal(filter(0, 0, 2'000), clears).find("another filter"), std::string::npos);
  EXPECT_EQ(count_found(*open(), 0, 100), 100);
  EXPECT_EQ(ask({"DBSIZE"}).number, 2) << "nothing is beside";

  const auto before = open();
  EXPECT_EQ(before->presence_of("5"), Presence::maybe);
  load(filter(0, 0, 1'000), clears);
  EXPECT_EQ(ask({"BITCOUNT", "f"}).number, 0);
  EXPECT_EQ(ask({"STRLEN", "f"}).number, (14'378 + 7) / 8);
  EXPECT_GT(ask({"PTTL", "f"}).number, 35'000'000);
  EXPECT_GT(ask({"PTTL", "{f}:config"}).number, 35'000'000);
  EXPECT_EQ(ask({"HGET", "{f}:config", "of"}).text, "others") << "it stays as it was";
  EXPECT_EQ(before->presence_of("5"), Presence::unknown) << "a bit that it saw is gone";
  EXPECT_EQ(open()->presence_of("5"), Presence::absent);
  open()->insert("5");
  EXPECT_EQ(open()->presence_of("5"), Presence::maybe);
}

// The length of a string alone says whether it is a bitmap of these settings.
TEST_F(Loading, ClearsNoBareBitmapThatMayBeSomethingElse) {
  const Format& gozero = *find_format("gozero");
  const auto clear = [&](const std::string& settings) {
    Client client(parse_location(at("g", settings)));
    const AnyFilter empty = gozero.create({.capacity = 100}, {{"bits", "8000"}});
    bulk_load(client, gozero, empty.contents(), {.old = OldFilter::clear});
  };
  EXPECT_THROW(clear("?bits=8000"), StoreError) << "nothing is there";
  ask({"SET", "g", "somebody's"});
  EXPECT_THROW(clear("?bits=8000"), StoreError);
  EXPECT_EQ(ask({"GET", "g"}).text, "somebody's");
  clear("?bits=8000&trust=bits");
  EXPECT_EQ(ask({"STRLEN", "g"}).number, 1'000);
  ask({"SETBIT", "g", "7999", "1"});
  clear("?bits=8000");
  EXPECT_EQ(ask({"BITCOUNT", "g"}).number, 0);
  ask({"SETBIT", "g", "8000", "1"});
  for (const std::string trust : {"", "&trust=bits"}) {
    EXPECT_THROW(clear("?bits=8000" + trust), StoreError) << "it is longer";
  }
  EXPECT_EQ(ask({"BITCOUNT", "g"}).number, 1);
}

// Nothing says which size a bare bitmap was written with but its length.
TEST_F(Loading, KeepsNoBareBitmapThatMayBeOfAnotherSize) {
  const Format& gozero = *find_format("gozero");
  const auto load = [&](const std::string& settings, int from, const BulkOptions& options) {
    const Location location = parse_location(at("g", settings));
    Client client(location);
    AnyFilter filter = gozero.create({.capacity = 1'000, .false_positive_rate = 0.1},
                                     {{"bits", location.settings.find("bits")->second}});
    for (int i = from; i < from + 100; ++i) filter.insert(std::to_string(i));
    bulk_load(client, gozero, filter.contents(), options);
  };
  load("?bits=20000", 0, {});
  EXPECT_THROW(load("?bits=40000", 100, {.old = OldFilter::keep}), StoreError);
  EXPECT_THROW(load("?bits=10000", 100, {.old = OldFilter::keep}), StoreError);
  load("?bits=20000", 100, {.old = OldFilter::keep});
  const auto place = open_bitmap_place(gozero, at("g", "?bits=20000&trust=bits"), false);
  EXPECT_EQ(count_found(*place, 0, 200), 200);
  // A string that SETBIT has made is short; trust=bits says that its size is known.
  ask({"SET", "g", "x"});
  EXPECT_THROW(load("?bits=20000", 100, {.old = OldFilter::keep}), StoreError);
  load("?bits=20000&trust=bits", 100, {.old = OldFilter::keep});
}

TEST_F(Loading, TheConfigurationIsThereAllTheTime) {
  load(filter(0, 10));
  ask({"HSET", "{f}:config", "of another", "1"});
  ask({"CONFIG", "RESETSTAT"});
  load(filter(0, 10), {.old = OldFilter::keep});
  EXPECT_EQ(ask({"INFO", "commandstats"}).text.find("cmdstat_del:"), std::string::npos);
  EXPECT_EQ(ask({"HLEN", "{f}:config"}).number, 4);
}

// A script that is refused has done what came before the refusal.
TEST_F(Loading, AUserWhoMayNotDoAllOfItDoesNothing) {
  load(filter(0, 100, 1'000));
  const std::string config = ask({"HGET", "{f}:config", "size"}).text;
  const std::string bytes = ask({"GET", "f"}).text;
  setenv("BLOOMERY_TEST_LOADER", "any", 1);
  const std::string user = "?user=loader&password_env=BLOOMERY_TEST_LOADER";
  for (const std::string_view missing : {"-hset", "-hkeys", "-hdel", "-rename", "-persist"}) {
    ask({"ACL", "SETUSER", "loader", "reset", "on", "nopass", "~*", "+@all", missing});
    Client client(parse_location(at("f", user)));
    EXPECT_THROW(bulk_load(client, redisson::kFormat, filter(0, 10, 5'000).contents(),
                           {.old = OldFilter::drop}),
                 StoreError)
        << missing;
    EXPECT_EQ(ask({"HGET", "{f}:config", "size"}).text, config) << missing;
    EXPECT_EQ(ask({"GET", "f"}).text, bytes) << missing;
  }
}

TEST_F(Loading, TheTimeToLiveStays) {
  load(filter(0, 10));
  ask({"PEXPIREAT", "f", "99999999999000"});
  ask({"PEXPIREAT", "{f}:config", "99999999998000"});
  load(filter(0, 10), {.old = OldFilter::keep});
  const auto expiry = [&](std::string_view key) {
    return ask({"EVAL", "return redis.call('PTTL', KEYS[1]) + redis.call('TIME')[1] * 1000", "1",
                key})
               .number /
           10'000;
  };
  EXPECT_EQ(expiry("f"), 9'999'999'999);
  EXPECT_EQ(expiry("{f}:config"), 9'999'999'999);
}

TEST_F(Loading, WhatIsLostOnTheWayIsNoticed) {
  load(filter(0, 10));
  // Somebody empties the server's keys beside: before the second piece, and before the exchange.
  for (const std::uint64_t when : {std::uint64_t{0}, filter(0, 0).geometry().bit_count / 8}) {
    const std::string said = refusal(
        filter(0, 2'000), {.old = OldFilter::keep, .progress = [&](std::uint64_t done, auto) {
                             if (done < when) return;
                             for (const Reply& key : ask({"KEYS", "f:next*"}).elements) {
                               ask({"DEL", key.text});
                             }
                           }});
    EXPECT_NE(said.find("lost"), std::string::npos) << said;
    EXPECT_EQ(count_found(*open(), 0, 10), 10);
  }
  const std::string said =
      refusal(filter(0, 2'000),
              {.old = OldFilter::keep, .progress = [&](std::uint64_t done, auto all) {
                 if (done < all) return;
                 const Reply keys = ask({"KEYS", "f:next*"});
                 ask({"SETRANGE", keys.elements.at(0).text, "0", std::string(60'000, '\0')});
               }});
  EXPECT_NE(said.find("lost"), std::string::npos) << "a few bits";
}

TEST_F(Loading, OfASystemWithoutConfigurationIsABitmap) {
  const Format& gozero = *find_format("gozero");
  AnyFilter made =
      gozero.create({.capacity = 1'000, .false_positive_rate = 0.01}, {{"bits", "20000"}});
  made.insert("in");
  bulk_load(*client_, gozero, made.contents(), {});
  EXPECT_EQ(ask({"STRLEN", "f"}).number, 2'500);
  const auto place = open_bitmap_place(gozero, at("f", "?bits=20000&trust=bits"), false);
  EXPECT_EQ(place->presence_of("in"), Presence::maybe);
  EXPECT_EQ(place->presence_of("out"), Presence::absent);
  EXPECT_THROW(bulk_load(*client_, gozero, filter(0, 1).contents(), {}), IncompatibleError);
}

TEST_F(Loading, IsDestroyedWithItsConfiguration) {
  load(filter(0, 10));
  open()->destroy();
  EXPECT_EQ(ask({"DBSIZE"}).number, 0);
  EXPECT_THROW(open_bitmap_place(redisson::kFormat, at("f"), false), StoreError);
}

// The server would say so of a name that nobody has given.
TEST_F(Loading, OfMoreBitsThanAStringHasIsRefused) {
  const Format& pyrebloom = *find_format("pyrebloom");
  FilterContents contents;
  contents.parameters = {.kind = pyrebloom.kinds.front()->number,
                         .geometry = {.bit_count = 0x100000000, .probe_count = 10},
                         .capacity = 310'000'000,
                         .false_positive_rate = 0.001};
  EXPECT_THROW(bulk_load(*client_, pyrebloom, contents, {}), std::invalid_argument);
  EXPECT_EQ(ask({"DBSIZE"}).number, 0);
}

}  // namespace
}  // namespace bloomery::redis
