#pragma once

#include <chrono>
#include <optional>
#include <span>

#include "bloomery/guard/cache.h"
#include "bloomery/guard/guard_counters.h"
#include "bloomery/guard/guard_options.h"
#include "bloomery/guard/jitter.h"

namespace bloomery {

// A cache whose failures are counted and otherwise mere misses, and which draws its own expiries.
// Borrows the cache and the counters. All calls may run together.
template <class Value>
class FailOpenCache {
 public:
  FailOpenCache(Cache<Value>& cache, CounterBoard& counters, const GuardOptions& options)
      : cache_(cache),
        counters_(counters),
        value_ttl_(options.value_ttl),
        negative_ttl_(options.negative_ttl),
        jitter_(options.ttl_jitter, options.jitter_seed) {}

  // Counts the hits. False when the cache failed; then all answers are misses.
  bool ask_many(std::span<const Key> keys, std::span<CacheAnswer<Value>> answers) noexcept {
    const bool works = counted([&] { cache_.get_many(keys, answers); });
    for (CacheAnswer<Value>& answer : answers) {
      if (!works || (answer.state == Cached::hit && !answer.value)) answer = {};
      if (answer.state == Cached::hit) counters_.add(&GuardCounters::cache_hits);
      if (answer.state == Cached::negative) counters_.add(&GuardCounters::negative_hits);
    }
    return works;
  }

  // False when the cache failed, here as in put_negative().
  bool put(Key key, const Value& value) noexcept {
    return counted([&] { cache_.put(key, value, jitter_(value_ttl_)); });
  }
  bool put_negative(Key key) noexcept {
    return counted([&] { cache_.put_negative(key, jitter_(negative_ttl_)); });
  }

  // Whoever erases must learn that it failed: throws what the cache throws, counted.
  void erase(Key key) {
    try {
      cache_.erase(key);
    } catch (...) {
      counters_.add(&GuardCounters::cache_errors);
      throw;
    }
  }

 private:
  bool counted(const auto& call) noexcept {
    try {
      call();
      return true;
    } catch (...) {
      counters_.add(&GuardCounters::cache_errors);
      return false;
    }
  }

  Cache<Value>& cache_;
  CounterBoard& counters_;
  const std::chrono::milliseconds value_ttl_;
  const std::chrono::milliseconds negative_ttl_;
  Jitter jitter_;
};

}  // namespace bloomery
