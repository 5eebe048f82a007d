// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "bloomery/cache/redis_cache.h"
#include "bloomery/errors.h"
#include "bloomery/guard/lookaside.h"
#include "bloomery/place/filter_place.h"
#include "bloomery/place/gathering.h"
#include "bloomery/redis/client/location.h"
#include "bloomery/redis/client/server_errors.h"

namespace bloomery {

// A filter in a server and a RedisCache in the same: the questions of a key, or of a batch, to both
// are one trip. Where they are not in one server or in a cluster, where the filter is in
// partitions, and where its batch takes several trips, what is left is asked of the cache by the
// guard, as without it. Single keys that threads ask for at the same moment are one batch.
template <CacheValue Value = std::string>
class RedisLookaside final : public Lookaside<Value> {
 public:
  // `filter` and `cache` outlive it. The locations of both name the server in the same way.
  RedisLookaside(FilterPlace& filter, RedisCache<Value>& cache)
      : filter_(filter),
        cache_(cache),
        gathering_([this](std::span<const Key> keys, std::span<LookAsideAnswer<Value>> answers,
                          const CallContext& context) { look_many(keys, answers, context); },
                   {},
                   {.name = cache.location().server(),
                    .advice = redis::kTimeoutAdvice,
                    .timeout = cache.location().timeout,
                    .most_trips = cache.location().connections}) {}

  // Ask both as Lookaside says.
  void look_many(std::span<const Key> keys, std::span<LookAsideAnswer<Value>> answers,
                 const CallContext& context = {}) override {
    require_fence(context);
    typename RedisCache<Value>::Ahead ahead(cache_, keys);
    std::vector<Presence> presences(keys.size(), Presence::unknown);
    filter_.presence_of_many(keys, presences, context);
    std::vector<CacheAnswer<Value>> cached(keys.size());
    bool has_cached = false;
    try {
      has_cached = ahead.take(cached);
    } catch (const StoreError&) {
      // The guard asks the cache, and hears of it.
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
      answers[i].presence = presences[i];
      if (has_cached) answers[i].cached = std::move(cached[i]);
    }
  }

  // Asks as look_many(), together with the keys of other threads.
  LookAsideAnswer<Value> look(Key key, const CallContext& context = {}) override {
    require_fence(context);
    return gathering_.ask(key, context);
  }

 private:
  void require_fence(const CallContext& context) const {
    if (context.has_nameless_fence()) [[unlikely]]
      refuse_nameless_fence(cache_.location().text());
  }

  FilterPlace& filter_;
  RedisCache<Value>& cache_;
  Gathering<LookAsideAnswer<Value>, redis::TimeoutError> gathering_;
};

}  // namespace bloomery
