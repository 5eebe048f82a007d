// SPDX-License-Identifier: Apache-2.0
// Filter and cache in one server, asked in one trip: by a guard, by many, and where that cannot be.

#include "bloomery/cache/redis_lookaside.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/guard/cache_guard.h"
#include "bloomery/redis/places/bitmap_place.h"
#include "bloomery/redis/places/native_load.h"
#include "bloomery/redis/places/native_place.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/redis_server.h"
#include "tests/support/run_threads.h"

namespace bloomery {
namespace {

using testing::RedisServer;

// Rows by their keys, visible from their commit on.
class Table {
 public:
  void insert(Key key) {
    const std::lock_guard lock(mutex_);
    rows_.emplace(key);
  }
  Loader<std::string> loader() {
    return [this](std::span<const Key> keys, const CallContext&) {
      const std::lock_guard lock(mutex_);
      std::vector<std::optional<std::string>> rows;
      for (const Key key : keys) {
        rows.push_back(rows_.contains(key) ? std::optional("row of " + std::string(key))
                                           : std::nullopt);
      }
      return rows;
    };
  }

 private:
  std::mutex mutex_;
  std::set<std::string, std::less<>> rows_;
};

class LookingAside : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::is_installed()) GTEST_SKIP() << "no redis-server here";
    server_ = std::make_unique<RedisServer>(folder_.path().string());
    redis::Client client(redis::parse_location(at("filter")));
    const AnyFilter empty =
        make_filter(FilterKind::blocked, {.capacity = 20'000, .false_positive_rate = 1e-4});
    redis::load_native(client, empty.contents(), {});
    table_.insert("in");
    native()->insert("in");
    native()->insert("never");
  }

  std::string at(const std::string& key, const std::string& settings = "") const {
    return "redis+unix://" + server_->socket() + settings + "#" + key;
  }
  std::unique_ptr<FilterPlace> native() const {
    return redis::open_native_place(at("filter"), true);
  }
  // Counts round trips since the last call, but for the questions of this function.
  long trips() {
    const std::string info = server_->ask("INFO stats");
    const std::string name = "total_reads_processed:";
    const long now = std::stol(info.substr(info.find(name) + name.size()));
    return now - std::exchange(reads_, now);
  }
  // How many trips a look-up takes, beside those of a question for them.
  long trips_of(auto look_up) {
    trips();
    const long question = trips();
    look_up();
    return trips() - question;
  }

  testing::ScratchFolder folder_;
  std::unique_ptr<RedisServer> server_{};
  Table table_;
  long reads_ = 0;
};

TEST_F(LookingAside, IsOneTripWhateverIsFound) {
  const auto filter = native();
  RedisCache<> cache(at("rows"));
  RedisLookaside<> both(*filter, cache);
  CacheGuard<> guard(*filter, cache, table_.loader(), {}, &both);
  EXPECT_EQ(guard.get("in"), "row of in");
  EXPECT_EQ(guard.get("never"), std::nullopt);
  EXPECT_EQ(trips_of([&] { EXPECT_EQ(guard.get("in"), "row of in"); }), 1);
  EXPECT_EQ(trips_of([&] { EXPECT_EQ(guard.get("never"), std::nullopt); }), 1);
  EXPECT_EQ(trips_of([&] { EXPECT_EQ(guard.get("absent"), std::nullopt); }), 1);
  const std::vector<Key> keys{"in", "absent", "never", "in", "another"};
  EXPECT_EQ(trips_of([&] {
              const auto rows = guard.get_many(keys);
              EXPECT_EQ(rows[0], "row of in");
              EXPECT_EQ(rows[3], "row of in");
              EXPECT_EQ(rows[1], std::nullopt);
            }),
            1);
  EXPECT_EQ(guard.counters().negative_hits, 2U);
  EXPECT_EQ(guard.counters().keys_loaded, 2U);

  CacheGuard<> apart(*filter, cache, table_.loader());
  EXPECT_EQ(trips_of([&] { EXPECT_EQ(apart.get("in"), "row of in"); }), 2);
}

TEST_F(LookingAside, IsOneTripWithAnotherSystemsFilter) {
  redis::open_bitmap_place(*find_format("gozero"), at("gz", "?bits=20000"), true)->insert("in");
  const auto filter =
      redis::open_bitmap_place(*find_format("gozero"), at("gz", "?bits=20000&trust=bits"), false);
  RedisCache<> cache(at("rows"));
  RedisLookaside<> both(*filter, cache);
  CacheGuard<> guard(*filter, cache, table_.loader(), {}, &both);
  EXPECT_EQ(guard.get("in"), "row of in");
  EXPECT_EQ(trips_of([&] { EXPECT_EQ(guard.get("in"), "row of in"); }), 1);
  EXPECT_EQ(trips_of([&] { EXPECT_EQ(guard.get("out"), std::nullopt); }), 1);
  EXPECT_EQ(guard.counters().filter_absents, 1U);
}

// A cache's trouble is nobody else's, and what it cannot say is asked of it by itself.
TEST_F(LookingAside, ACacheInTroubleOrElsewhereHarmsNoAnswer) {
  const auto filter = native();
  server_->ask("RPUSH bad:{=in} x");
  server_->ask("RPUSH bad:{=in}:lease x");
  for (const std::string& location :
       {at("bad"), at("rows", "?db=1"), std::string("redis+unix:///nowhere.sock#rows")}) {
    RedisCache<> cache(location);
    RedisLookaside<> both(*filter, cache);
    CacheGuard<> guard(*filter, cache, table_.loader(), {}, &both);
    EXPECT_EQ(guard.get("in"), "row of in") << location;
    EXPECT_EQ(guard.get("in"), "row of in") << location;
    EXPECT_EQ(guard.get("absent"), std::nullopt) << location;
    EXPECT_EQ(guard.counters().filter_absents, 1U) << location;
    EXPECT_EQ(guard.counters().unknowns, 0U) << location;
  }
}

TEST_F(LookingAside, AFilterThatIsLostIsUnknownAndTheCacheAnswersAllTheSame) {
  const auto filter = native();
  RedisCache<> cache(at("rows"));
  RedisLookaside<> both(*filter, cache);
  CacheGuard<> guard(*filter, cache, table_.loader(), {}, &both);
  EXPECT_EQ(guard.get("in"), "row of in");
  server_->ask("DEL filter");
  EXPECT_EQ(guard.get("in"), "row of in");
  EXPECT_EQ(guard.counters().cache_hits, 1U);
  table_.insert("past the guard");
  EXPECT_EQ(guard.get("past the guard"), "row of past the guard") << "unknown is no absent";
}

// Rows that are inserted by one guard while others look for them, each with clients of its own, as
// processes have them: 5,000 races, in a long run 50,000.
TEST_F(LookingAside, RacesNeverDenyARowAfterItsInsert) {
  constexpr std::size_t kKeysOfRound = 20;
  const std::size_t races = std::getenv("BLOOMERY_LONG") != nullptr ? 50'000 : 5'000;
  struct Process {
    Process(std::unique_ptr<FilterPlace> place, const std::string& location, Table& table)
        : filter(std::move(place)),
          cache(location),
          guard(*filter, cache, table.loader(), {}, &both) {}
    std::unique_ptr<FilterPlace> filter;
    RedisCache<> cache;
    RedisLookaside<> both{*filter, cache};
    CacheGuard<> guard;
  };
  std::vector<std::unique_ptr<Process>> processes;
  for (int i = 0; i < 3; ++i) {
    processes.push_back(std::make_unique<Process>(native(), at("rows"), table_));
  }
  std::atomic<std::size_t> denied = 0;
  const auto count_denied = [&](std::span<const Key> keys) {
    for (const auto& process : processes) {
      for (const auto& row : process->guard.get_many(keys)) denied += row ? 0 : 1;
    }
  };
  for (std::size_t round = 0; round * kKeysOfRound < races; ++round) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < kKeysOfRound; ++i) {
      texts.push_back(std::to_string(round) + "/" + std::to_string(i));
    }
    const std::vector<Key> keys(texts.begin(), texts.end());
    // One writes; two read in each of the other processes, so that they share what is in the air.
    run_threads(5, [&](int thread) {
      CacheGuard<>& guard = processes[static_cast<std::size_t>(thread + 1) / 2]->guard;
      if (thread > 0) {
        for (int i = 0; i < 2; ++i) guard.get_many(keys);
        return;
      }
      {
        const auto token = guard.will_insert_many(keys);
        if (round % 2 == 0) guard.get_many(keys);
        for (const Key key : keys) table_.insert(key);
      }
      count_denied(keys);
    });
    count_denied(keys);
  }
  EXPECT_EQ(denied, 0U);
  EXPECT_GT(processes[1]->guard.counters().cache_hits, races / 2) << "and the cache is one";
}

}  // namespace
}  // namespace bloomery
