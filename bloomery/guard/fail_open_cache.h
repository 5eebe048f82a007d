#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <span>

#include "bloomery/guard/breaker.h"
#include "bloomery/guard/cache.h"
#include "bloomery/guard/guard_counters.h"
#include "bloomery/guard/guard_options.h"
#include "bloomery/guard/jitter.h"

namespace bloomery {

// A cache whose failures are counted and otherwise answers: `unknown`. It draws its own expiries,
// and leaves a cache alone that failed several times in a row. Borrows the cache and the counters.
// All calls may run together.
template <class Value>
class FailOpenCache {
 public:
  FailOpenCache(Cache<Value>& cache, CounterBoard& counters, const GuardOptions& options)
      : cache_(cache),
        counters_(counters),
        value_ttl_(options.value_ttl),
        negative_ttl_(options.negative_ttl),
        jitter_(options.ttl_jitter, options.jitter_seed),
        breaker_(options.failures_in_a_row, options.failure_pause) {}

  // When the cache fails, all answers are `unknown`. `strict` takes no negative entry for an
  // answer. Counts the hits.
  void ask_many(std::span<const Key> keys, std::span<CacheAnswer<Value>> answers,
                const CallContext& context, bool strict) noexcept {
    if (!attempt(context, [&] { cache_.get_many(keys, answers, context); })) {
      for (CacheAnswer<Value>& answer : answers) answer = {.state = Cached::unknown};
      return;
    }
    std::size_t hits = 0;
    std::size_t negatives = 0;
    for (CacheAnswer<Value>& answer : answers) {
      if (answer.state == Cached::hit && !answer.value) answer.state = Cached::miss;
      if (answer.state == Cached::negative && strict) answer.state = Cached::miss;
      if (answer.state != Cached::hit) answer.value.reset();
      hits += answer.state == Cached::hit ? 1 : 0;
      negatives += answer.state == Cached::negative ? 1 : 0;
    }
    if (hits != 0) counters_.add(&GuardCounters::cache_hits, hits);
    if (negatives != 0) counters_.add(&GuardCounters::negative_hits, negatives);
  }

  // Fills in when each expires.
  void put_many(std::span<CacheEntry<Value>> entries, const CallContext& context) noexcept {
    for (CacheEntry<Value>& entry : entries) {
      entry.ttl = jitter_(entry.value != nullptr ? value_ttl_ : negative_ttl_);
    }
    attempt(context, [&] { cache_.put_many(entries, context); });
  }

  // Whoever erases must learn that it failed: always asks the cache, and throws what it throws.
  void erase_many(std::span<const Key> keys, const CallContext& context) {
    try {
      cache_.erase_many(keys, context);
    } catch (...) {
      counters_.add(&GuardCounters::cache_errors);
      throw;
    }
  }

 private:
  // False when the call failed, or was not made.
  bool attempt(const CallContext& context, const auto& call) noexcept {
    if (!breaker_.allows()) {
      counters_.add(&GuardCounters::cache_skips);
      return false;
    }
    try {
      call();
      breaker_.succeeded();
      return true;
    } catch (...) {
      counters_.add(&GuardCounters::cache_errors);
      // Of a caller in a hurry the cache knows nothing.
      if (!context.is_over()) breaker_.failed();
      return false;
    }
  }

  Cache<Value>& cache_;
  CounterBoard& counters_;
  const std::chrono::milliseconds value_ttl_;
  const std::chrono::milliseconds negative_ttl_;
  Jitter jitter_;
  Breaker breaker_;
};

}  // namespace bloomery
