// SPDX-License-Identifier: Apache-2.0
// A real cluster of three, whose nodes speak nothing but TLS.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/cache/redis_cache.h"
#include "bloomery/filter/filter_kinds.h"
#include "bloomery/format/redisson.h"
#include "bloomery/redis/client/client.h"
#include "bloomery/redis/client/hash_slot.h"
#include "bloomery/redis/places/bitmap_place.h"
#include "bloomery/redis/places/bulk_load.h"
#include "bloomery/redis/places/native_load.h"
#include "bloomery/redis/places/native_place.h"
#include "bloomery/redis/places/partition_keys.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/redis_cluster.h"
#include "tests/support/run_threads.h"
#include "tests/support/test_certificates.h"

namespace bloomery::redis {
namespace {

using testing::RedisCluster;
using testing::RedisServer;

class ClusterOfThree : public ::testing::Test {
 protected:
  static constexpr const char* kPassword = "hush";

  // Starts one cluster for all tests: that takes longer than they do.
  static void SetUpTestSuite() {
    if (!is_possible()) return;
    setenv("BLOOMERY_TEST_CLUSTER", kPassword, 1);
    folder_ = std::make_unique<testing::ScratchFolder>();
    const std::string folder = folder_->path().string();
    const testing::TestCertificates files(folder);
    cluster_ = std::make_unique<RedisCluster>(
        folder, 3,
        std::vector<std::string>{"--tls-cluster", "yes", "--tls-auth-clients", "no",
                                 "--tls-cert-file", files / "server.pem", "--tls-key-file",
                                 files / "server.key", "--tls-ca-cert-file", files / "ca.pem"},
        "--tls-port");
    is_up_ = cluster_->is_up();
    for (std::size_t i = 0; i < 3; ++i) {
      (*cluster_)[i].server->ask(std::string("ACL SETUSER app on '>") + kPassword + "' ~* +@all");
    }
  }
  static void TearDownTestSuite() {
    cluster_ = nullptr;
    folder_ = nullptr;
  }
  static bool is_possible() {
    return RedisServer::is_installed() && testing::TestCertificates::is_possible();
  }
  void SetUp() override {
    if (!is_possible()) GTEST_SKIP() << "no redis-server or no openssl here";
    ASSERT_TRUE(is_up_);
  }

  static std::string at(const std::string& key, std::size_t first = 0, std::size_t second = 1) {
    return "rediss+cluster://127.0.0.1:" + (*cluster_)[first].port +
           ",127.0.0.1:" + (*cluster_)[second].port +
           "?user=app&password_env=BLOOMERY_TEST_CLUSTER&client_name=tested&trust=bits&ca=" +
           (folder_->path() / "ca.pem").string() + "#" + key;
  }
  static std::unique_ptr<FilterPlace> open(const std::string& key) {
    return open_bitmap_place(redisson::kFormat, at(key), true);
  }
  static void init(const std::string& key) {
    const std::string config = redisson::config_key(key);
    Client client(parse_location(at(config)));
    const Request set = Request().add({"HSET", config, "size", "95850", "hashIterations", "7"});
    require_done(client.run(set, Repeat::never).replies.at(0), client.location());
  }
  // A name of a filter whose slot was given to a node.
  static std::string name_at(std::size_t node, const std::string& name) {
    for (int i = 0;; ++i) {
      std::string key = name + std::to_string(i);
      if (cluster_->first_owner(hash_slot(key)) == node) return key;
    }
  }

  static std::unique_ptr<FilterPlace> open_parts(const std::string& key) {
    std::string location = at(key);
    location.insert(location.find('?') + 1, "timeout=2000&");
    return open_native_place(location, true);
  }
  // In twelve partitions, four a node, with the keys 0 to 999.
  static std::unique_ptr<FilterPlace> load_parts(const std::string& key) {
    std::string location = at(key);
    location.insert(location.find('?') + 1, "partitions=12&");
    AnyFilter filter = make_filter(FilterKind::blocked, {.capacity = 5000});
    for (int i = 0; i < 1000; ++i) filter.insert(Key(std::to_string(i)));
    Client client(parse_location(location));
    load_native(client, filter.contents(), {});
    return open_parts(key);
  }
  static std::vector<Presence> ask(FilterPlace& place, int from, int to) {
    std::vector<std::string> texts;
    for (int i = from; i < to; ++i) texts.push_back(std::to_string(i));
    const std::vector<Key> keys(texts.begin(), texts.end());
    std::vector<Presence> answers(keys.size(), Presence::unknown);
    place.presence_of_many(keys, answers);
    return answers;
  }
  static std::ptrdiff_t count(const std::vector<Presence>& answers, Presence wanted) {
    return std::ranges::count(answers, wanted);
  }

  static std::unique_ptr<testing::ScratchFolder> folder_;
  static std::unique_ptr<RedisCluster> cluster_;
  static bool is_up_;
};

std::unique_ptr<testing::ScratchFolder> ClusterOfThree::folder_;
std::unique_ptr<RedisCluster> ClusterOfThree::cluster_;
bool ClusterOfThree::is_up_ = false;

TEST_F(ClusterOfThree, IsAskedAtTheNodeOfTheKeyWithEverySettingOfTheLocation) {
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string key = name_at(i, "k");
    Client client(parse_location(at(key)));
    (*cluster_)[i].server->ask("CONFIG RESETSTAT");
    const Request who =
        Request().add({"SET", key, "v"}).add({"CLIENT", "GETNAME"}).add({"ACL", "WHOAMI"});
    const Answer answer = client.run(who, Repeat::never);
    EXPECT_TRUE(answer.replies.at(0).is_status("OK")) << answer.replies.at(0).text;
    EXPECT_EQ(answer.replies.at(1).text, "tested");
    EXPECT_EQ(answer.replies.at(2).text, "app");
    EXPECT_EQ((*cluster_)[i].server->ask("INFO errorstats").find("MOVED"), std::string::npos)
        << "nobody had to send it on";
  }
  // The first node sends the commands on to the others here.
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string key = name_at(i, "one");
    std::string location = at(key);
    location.replace(0, location.find('?'), "rediss://127.0.0.1:" + (*cluster_)[0].port);
    Client client(parse_location(location));
    const Request who =
        Request().add({"SET", key, "v"}).add({"CLIENT", "GETNAME"}).add({"ACL", "WHOAMI"});
    const Answer answer = client.run(who, Repeat::safe);
    EXPECT_TRUE(answer.replies.at(0).is_status("OK"));
    EXPECT_EQ(answer.replies.at(1).text, "tested");
    EXPECT_EQ(answer.replies.at(2).text, "app");
  }
}

TEST_F(ClusterOfThree, ASlotMayMoveUnderEightReadersAndWriters) {
  const std::string name = name_at(2, "moving");
  const int slot = hash_slot(name);
  ASSERT_EQ(slot, hash_slot(redisson::config_key(name)));
  init(name);
  open(name)->insert("first");
  constexpr int kWriters = 4;
  // However long the slot takes, the filter is not filled beyond what it is made for, and no more
  // keys are asked for that were never there.
  constexpr int kKeys = 500;
  const auto key_of = [](int writer, int i) {
    return std::to_string(writer) + " " + std::to_string(i % kKeys);
  };
  std::atomic<bool> stops = false;
  std::array<std::atomic<int>, kWriters> added{};
  std::array<std::atomic<int>, kWriters> asked{};
  std::vector<std::thread> threads;
  for (int w = 0; w < kWriters; ++w) {
    threads.emplace_back([&, w] {
      const auto place = open(name);
      for (; !stops; ++added[w]) place->insert(key_of(w, added[w]));
    });
    threads.emplace_back([&, w] {
      const auto place = open(name);
      for (; !stops; ++asked[w]) {
        const int last = added[w];
        for (int i = std::max(0, last - 20); i < last; ++i) {
          EXPECT_EQ(place->presence_of(key_of(w, i)), Presence::maybe) << w << ": " << i;
        }
        EXPECT_EQ(place->presence_of("never " + std::to_string(last % kKeys)), Presence::absent);
      }
    });
  }
  const auto counts = [&] {
    std::array<int, 2 * kWriters> all{};
    std::ranges::copy(added, all.begin());
    std::ranges::copy(asked, all.begin() + kWriters);
    return all;
  };
  std::size_t owner = 2;
  for (int moves = 0; moves < 12; ++moves) {  // it ends where it began
    const auto before = counts();
    const std::size_t to = (owner + 1) % 3;
    cluster_->move_slot(slot, owner, to);
    owner = to;
    const auto have_gone_on = [&] {
      return std::ranges::equal(before, counts(), [](int then, int now) { return now > then + 1; });
    };
    for (int i = 0; i < 1000 && !have_gone_on(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_TRUE(have_gone_on()) << "move " << moves;
  }
  stops = true;
  for (std::thread& each : threads) each.join();
  const auto place = open(name);
  for (int w = 0; w < kWriters; ++w) {
    for (int i = 0; i < std::min<int>(added[w], kKeys); ++i) {
      ASSERT_EQ(place->presence_of(key_of(w, i)), Presence::maybe) << w << ": " << i;
    }
  }
}

TEST_F(ClusterOfThree, KeepsACacheOfAllKeysAndSingleQuestionsShareTrips) {
  std::string location = at("cache");
  location.erase(location.find("&trust=bits"), 11);
  RedisCache<> one(location);
  RedisCache<> other(location);
  std::vector<std::string> texts;
  for (int i = 0; i < 40; ++i) texts.push_back(std::to_string(i));
  const std::vector<Key> keys(texts.begin(), texts.end());
  std::vector<CacheAnswer<std::string>> answers(keys.size());
  one.get_many(keys, answers);
  std::vector<CacheEntry<std::string>> entries;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    entries.push_back({.key = keys[i],
                       .value = i % 2 == 0 ? &texts[i] : nullptr,
                       .ttl = std::chrono::minutes(1),
                       .lease = answers[i].lease});
  }
  one.put_many(entries);
  other.erase("0");
  run_threads(40, [&](int i) {
    CacheAnswer<std::string> answer;
    other.get_many(std::span(keys).subspan(i, 1), {&answer, 1});
    const Cached expected = i == 0 ? Cached::miss : i % 2 == 0 ? Cached::hit : Cached::negative;
    EXPECT_EQ(answer.state, expected) << i;
  });
  one.erase_many(keys);
  other.get_many(keys, answers);
  for (const auto& each : answers) EXPECT_EQ(each.state, Cached::miss);

  const std::string name = name_at(0, "shared");
  init(name);
  const auto place = open(name);
  place->insert("in");
  run_threads(16, [&](int) {
    EXPECT_EQ(place->presence_of("in"), Presence::maybe);
    EXPECT_EQ(place->presence_of("out"), Presence::absent);
  });
}

// A batch is one trip a node; what has gone elsewhere since is asked for each by itself.
TEST_F(ClusterOfThree, ACacheIsReadAndWrittenWhileASlotMoves) {
  std::string location = at("moving");
  location.erase(location.find("&trust=bits"), 11);
  RedisCache<> cache(location);
  std::vector<std::string> texts;
  for (int i = 0; i < 60; ++i) texts.push_back(std::to_string(i));
  const std::vector<Key> keys(texts.begin(), texts.end());
  const auto expect_all = [&](Cached state) {
    std::vector<CacheAnswer<std::string>> answers(keys.size());
    cache.get_many(keys, answers);
    for (const auto& each : answers) EXPECT_EQ(each.state, state);
    return answers;
  };
  const auto write_all = [&] {
    const auto leases = expect_all(Cached::miss);
    std::vector<CacheEntry<std::string>> entries;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      entries.push_back({.key = keys[i],
                         .value = &texts[i],
                         .ttl = std::chrono::minutes(1),
                         .lease = leases[i].lease});
    }
    cache.put_many(entries);
  };
  write_all();
  for (std::size_t i = 0; i < 3; ++i) (*cluster_)[i].server->ask("CONFIG RESETSTAT");
  expect_all(Cached::hit);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string stats = (*cluster_)[i].server->ask("INFO commandstats");
    EXPECT_EQ(stats.find("cmdstat_eval"), std::string::npos) << stats;
  }
  const int slot = hash_slot("moving:{=0}");
  const std::size_t owner = cluster_->first_owner(slot);
  const std::size_t other = (owner + 1) % 3;
  std::atomic<bool> is_done = false;
  std::thread mover([&] {
    cluster_->move_slot(slot, owner, other);
    is_done = true;
  });
  const Identity insert = Identity::random();
  for (int round = 0; !is_done || round < 3; ++round) {
    cache.erase_many(keys);
    write_all();
    expect_all(Cached::hit);
    EXPECT_FALSE(cache.announce_many(keys, insert));
    EXPECT_TRUE(cache.announce_many(keys, insert));
    cache.end_insert_many(keys, insert);
  }
  mover.join();
  cluster_->move_slot(slot, other, owner);
}

// A script may touch no key that is missing in such a slot, and is not undone where it dies.
TEST_F(ClusterOfThree, AFilterIsReplacedWholeWhileItsSlotBeginsToMove) {
  const std::string name = name_at(2, "replaced");
  Client client(parse_location(at(name)));
  AnyFilter filter = redisson::kFormat.create({.capacity = 1'000, .false_positive_rate = 0.01}, {});
  filter.insert("in");
  bulk_load(client, redisson::kFormat, filter.contents(), {});
  const RedisServer& source = *(*cluster_)[2].server;
  const std::string set = "CLUSTER SETSLOT " + std::to_string(hash_slot(name));
  filter.insert("also in");
  bulk_load(client, redisson::kFormat, filter.contents(),
            {.old = OldFilter::keep, .progress = [&](std::uint64_t done, std::uint64_t all) {
               if (done == all) source.ask(set + " MIGRATING " + (*cluster_)[0].id);
             }});
  source.ask(set + " STABLE");
  EXPECT_EQ(open(name)->presence_of("also in"), Presence::maybe);
}

// Four parts are at a node without their slots.
TEST_F(ClusterOfThree, AnInsertIntoPartitionsTakesOneTimeOutAndNoMore) {
  const auto place = load_parts("late");
  std::string slots;
  for (std::uint32_t part = 0; part < 12; ++part) {
    const int slot = hash_slot(partition_key("late", part, 12));
    if (cluster_->first_owner(slot) == 0) slots += " " + std::to_string(slot);
  }
  const RedisServer& node = *(*cluster_)[0].server;
  node.ask("CLUSTER DELSLOTS" + slots);
  const std::vector<std::string> texts{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};
  const std::vector<Key> keys(texts.begin(), texts.end());
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THROW(place->insert_many(keys), TimeoutError);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(3'900))
      << "of 2,000 for a call";
  node.ask("CLUSTER ADDSLOTS" + slots);
  place->insert_many(keys);
  EXPECT_EQ(place->presence_of("a"), Presence::maybe);
}

// The last: the node stays dead.
TEST_F(ClusterOfThree, PartitionsAreAskedOnceEachWhereTheyAreWhileSlotsMove) {
  const auto place = load_parts("parts");
  const auto before = ask(*place, 0, 3000);
  EXPECT_EQ(std::count(before.begin(), before.begin() + 1000, Presence::maybe), 1000);
  EXPECT_GT(count(before, Presence::absent), 1900);
  for (std::size_t i = 0; i < 3; ++i) (*cluster_)[i].server->ask("CONFIG RESETSTAT");
  EXPECT_EQ(ask(*place, 0, 3000), before);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string stats = (*cluster_)[i].server->ask("INFO commandstats");
    // Four parts are at each node, and at one of them the index.
    const bool has_index = cluster_->first_owner(hash_slot("parts")) == i;
    EXPECT_NE(stats.find(has_index ? "cmdstat_echo:calls=5," : "cmdstat_echo:calls=4,"),
              std::string::npos)
        << stats;
    EXPECT_EQ((*cluster_)[i].server->ask("INFO errorstats").find("MOVED"), std::string::npos);
  }
  std::atomic<bool> is_done = false;
  bool has_lost = false;  // the cluster, the keys of the slot that moves
  std::thread mover([&] {
    const int slot = hash_slot(partition_key("parts", 0, 12));
    for (int i = 0; i < 20 && !has_lost; ++i) {
      cluster_->move_slot(slot, i % 2 == 0 ? 0 : 2, i % 2 == 0 ? 2 : 0);
      has_lost = !cluster_->has_keys(slot);
    }
    is_done = true;
  });
  std::string wrong;
  int rounds = 0;
  for (; !is_done || rounds < 3; ++rounds) {
    try {
      place->insert(Key("new" + std::to_string(rounds)));
      const Presence at_once = place->presence_of(Key("new" + std::to_string(rounds)));
      EXPECT_NE(at_once, Presence::absent);
      if (at_once != Presence::maybe) wrong = "what was just put in is unknown";
      const auto now = ask(*place, 0, 1000);
      EXPECT_EQ(count(now, Presence::absent), 0);
      if (count(now, Presence::maybe) != 1000) wrong = "some of what is in is unknown";
    } catch (const StoreError& error) {
      wrong = error.what();
    }
  }
  mover.join();
  for (int i = 0; i < rounds; ++i) {
    EXPECT_NE(place->presence_of(Key("new" + std::to_string(i))), Presence::absent);
  }
  if (has_lost) GTEST_SKIP() << "the nodes lost the keys of a slot between them: " << wrong;
  EXPECT_EQ(wrong, "");
  for (int i = 0; i < rounds; ++i) {
    EXPECT_EQ(place->presence_of(Key("new" + std::to_string(i))), Presence::maybe);
  }
}

TEST_F(ClusterOfThree, ZTheShareOfADeadNodeIsNeverAbsent) {
  const std::string dead = name_at(2, "dead");
  const std::string alive = name_at(1, "alive");
  init(dead);
  init(alive);
  const auto of_dead = open(dead);
  const auto of_alive = open(alive);
  of_dead->insert("in");
  of_alive->insert("in");
  const std::string dying = name_at(2, "dying");
  const auto parts = load_parts(dying);
  const auto before = ask(*parts, 0, 3000);
  (*cluster_)[2].server->end(SIGKILL);
  for (int i = 0; i < 5; ++i) {
    const Key key = "in";
    Presence answer = Presence::unknown;
    EXPECT_THROW(of_dead->presence_of_many({&key, 1}, {&answer, 1}), ConnectionError);
    EXPECT_EQ(answer, Presence::unknown);
    EXPECT_EQ(of_alive->presence_of("in"), Presence::maybe);
    EXPECT_EQ(of_alive->presence_of("out"), Presence::absent);
  }
  // A third of what is in partitions is unknown, and the rest as it was.
  const auto after = ask(*parts, 0, 3000);
  for (std::size_t i = 0; i < after.size(); ++i) {
    ASSERT_TRUE(after[i] == Presence::unknown || after[i] == before[i]) << i;
  }
  EXPECT_NEAR(static_cast<double>(count(after, Presence::unknown)), 1000, 150);
  EXPECT_THROW(parts->head(), ConnectionError) << "who writes waits for the node";
  EXPECT_THROW(for (int i = 0; i < 100; ++i) parts->insert(Key(std::to_string(i))), StoreError);
  // A caller that comes now, and names the number of partitions, needs no index.
  EXPECT_THROW(open_parts(dying), ConnectionError);
  std::string location = at(dying);
  location.insert(location.find('?') + 1, "partitions=12&");
  const auto reader = open_native_place(location, false);
  EXPECT_EQ(ask(*reader, 0, 3000), after);
  EXPECT_FALSE(reader->head().watermark);
  EXPECT_EQ(reader->head().parameters.capacity, 5000U);
  // The first node of the location may be the dead one.
  const auto opened = open_bitmap_place(redisson::kFormat, at(alive, 2, 0), true);
  EXPECT_EQ(opened->presence_of("in"), Presence::maybe);
  // Without a second one nobody says that the last one is still a primary.
  (*cluster_)[0].server->end(SIGKILL);
  EXPECT_THROW(open(alive), ConnectionError);
}

}  // namespace
}  // namespace bloomery::redis
