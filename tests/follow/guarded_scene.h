// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/guard/cache_guard.h"
#include "bloomery/guard/memory_cache.h"
#include "bloomery/open/open_place.h"
#include "bloomery/place/coalesced_fence.h"
#include "bloomery/source/open_changes.h"
#include "tests/follow/follow_scene.h"
#include "tests/support/redis_server.h"

namespace bloomery {

// A scene whose filter is in a Redis, and whose guards ask it within a budget.
class GuardedScene : public FollowScene {
 protected:
  PlaceLocation bitmap() const override {
    return parse_place_location("bitmap:redis+unix://" + server_.socket() + "#users");
  }

  // Commits rows past a guard, and asks it for those that were committed longer ago than its
  // budget.
  std::function<Tally()> writer_past_a_guard(int who, milliseconds time) const {
    return [=, this] {
      std::unique_ptr<testing::ProvenSession> session;
      std::unique_ptr<testing::ProvenSession> loading;
      const auto load = [&](std::span<const Key> keys, const CallContext&) {
        std::vector<std::optional<std::string>> rows;
        try {
          if (!loading) loading = database_->connect();
          for (const Key key : keys) {
            const std::string id(key);
            rows.push_back(loading->has(id) ? std::optional(id) : std::nullopt);
          }
        } catch (const std::runtime_error&) {  // the database is away
          loading.reset();
          throw;
        }
        return rows;
      };
      const auto place = open_place(bitmap());
      CoalescedFence fence([&] { return open_fence(database_->location(), options()); });
      MemoryCache<> cache({.capacity = 1'000});
      CacheGuard<> guard(*place, cache, load,
                         {.mode = GuardMode::budget,
                          .fence = [&](const CallContext& context) { return fence.ask(context); },
                          .budget = kBudget,
                          .audit_every = 0});
      struct Row {
        std::string key;
        Clock::time_point committed;
      };
      std::deque<Row> young;
      Tally tally;
      const auto began = Clock::now();
      for (int i = 0; !is_over(began + time, tally); ++i) {
        const std::string key = key_of(who, i);
        try {
          if (!session) session = database_->connect();
          session->run("INSERT INTO users(id) VALUES ('" + key + "')");
          young.push_back({key, Clock::now()});
          while (!young.empty() && Clock::now() - young.front().committed > kBudget) {
            const std::string old = young.front().key;
            young.pop_front();
            ++tally.asked;
            if (!guard.get(Key(old)) && session->has(old)) ++tally.false_absent;
          }
          const auto denied = guard.counters().filter_absents;
          guard.get(Key("no " + key));
          if (Clock::now() < began + 2 * kBudget) continue;  // it has no fence yet that is so old
          ++tally.others;
          tally.others_absent += guard.counters().filter_absents - denied;
        } catch (const std::runtime_error&) {
          session.reset();
          std::this_thread::sleep_for(milliseconds(5));
        }
      }
      tally.unknown = guard.counters().unknowns;
      return tally;
    };
  }

  static constexpr milliseconds kBudget{200};

  testing::RedisServer server_{folder_.path("")};
};

}  // namespace bloomery
