// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "bloomery/guard/breaker.h"
#include "bloomery/guard/cache.h"
#include "bloomery/guard/distrusted_keys.h"
#include "bloomery/guard/guard_options.h"
#include "bloomery/guard/jitter.h"
#include "bloomery/guard/row_flights.h"
#include "bloomery/place/guard_counters.h"

namespace bloomery {

// A cache whose failures are counted and otherwise answers: `unknown`. It draws its own expiries,
// leaves a cache alone that failed several times in a row, and does not believe it about keys that
// could not be erased. Borrows all but the options. All calls may run together.
template <class Value>
class FailOpenCache {
 public:
  FailOpenCache(Cache<Value>& cache, RowFlights<Value>& flights, CounterBoard& counters,
                const GuardOptions& options)
      : cache_(cache),
        flights_(flights),
        counters_(counters),
        value_ttl_(options.value_ttl),
        negative_ttl_(options.negative_ttl),
        refresh_share_(options.refresh_ahead),
        knows_of_every_row_(options.mode == GuardMode::announced),
        jitter_(options.ttl_jitter, options.jitter_seed),
        breaker_(options.failures_in_a_row, options.failure_pause) {}

  // All answers are `unknown` when the cache fails. No negative entry is an answer where rows come
  // that nobody erased it for, or `strict` says so. Counts the hits.
  void ask_many(std::span<const Key> keys, std::span<CacheAnswer<Value>> answers,
                const CallContext& context, bool strict) noexcept {
    if (distrusted_.any()) [[unlikely]] {
      return ask_with_distrust(keys, answers, context, strict || !knows_of_every_row_);
    }
    ask(keys, answers, context, strict || !knows_of_every_row_);
  }

  // Returns whether somebody may ask the cache before anybody has looked whom to believe:
  // take_many() looks then.
  bool may_ask_ahead() const noexcept { return breaker_.is_calm() && !distrusted_.any(); }

  bool grants_leases() const noexcept { return cache_.grants_leases(); }

  // Asks as ask_many() does, where the cache knew nothing just now.
  void claim_many(std::span<const Key> keys, std::span<CacheAnswer<Value>> answers,
                  const CallContext& context) noexcept {
    const bool strict = !knows_of_every_row_;
    if (distrusted_.any()) return ask_with_distrust(keys, answers, context, strict);
    if (attempt(context, [&, this] { cache_.claim_many(keys, answers, context); })) {
      return settle_answers(answers, strict);
    }
    for (CacheAnswer<Value>& answer : answers) answer = {.state = Cached::unknown};
  }

  // Takes answers that somebody brought who asked after may_ask_ahead(), and settles them as
  // ask_many() does. Asks the cache now for those that are unknown, and for leases of what it has
  // not.
  void take_many(std::span<const Key> keys, std::span<CacheAnswer<Value>> answers,
                 const CallContext& context) noexcept {
    const bool strict = !knows_of_every_row_;
    // A key may have become distrusted since, and been read before that.
    if (distrusted_.any()) return ask_with_distrust(keys, answers, context, strict);
    try {
      std::vector<std::size_t> unasked;
      std::vector<std::size_t> missing;
      for (std::size_t i = 0; i < keys.size(); ++i) {
        if (answers[i].state == Cached::unknown) unasked.push_back(i);
        if (answers[i].state == Cached::miss && grants_leases()) missing.push_back(i);
      }
      settle_answers(answers, strict);
      ask_some(keys, answers, unasked, [&](std::span<const Key> some, auto replies) {
        ask(some, replies, context, strict);
      });
      ask_some(keys, answers, missing, [&](std::span<const Key> some, auto replies) {
        claim_many(some, replies, context);
      });
    } catch (...) {  // no memory
      for (CacheAnswer<Value>& answer : answers) answer = {.state = Cached::unknown};
    }
  }

  // Fills in when each expires.
  void put_many(std::span<CacheEntry<Value>> entries, const CallContext& context) noexcept {
    for (CacheEntry<Value>& entry : entries) {
      entry.ttl = jitter_(entry.value != nullptr ? value_ttl_ : negative_ttl_);
      if (entry.value == nullptr || refresh_share_ == 0) continue;
      const double after = static_cast<double>(entry.ttl.count()) * (1 - refresh_share_);
      entry.refresh_after = std::chrono::milliseconds(std::max(1LL, std::llround(after)));
    }
    attempt(context, [&, this] { cache_.put_many(entries, context); });
  }

  void drop_many(std::span<const CacheEntry<Value>> entries, const CallContext& context) noexcept {
    if (entries.empty()) return;
    // Other callers wait for the lease, so a moment is taken for it also where the call is over.
    constexpr std::chrono::milliseconds kMoment{20};
    const CallContext within = context.is_over() ? CallContext::within(kMoment) : context;
    attempt(within, [&, this] { cache_.drop_many(entries, within); });
  }

  // Announces as Cache says; whoever inserts must learn that it failed.
  bool announce_many(std::span<const Key> keys, const Identity& insert,
                     const CallContext& context) {
    return counted([&, this] { return cache_.announce_many(keys, insert, context); });
  }
  // Takes back what was announced in part; what it cannot reach ends by itself.
  void withdraw_many(std::span<const Key> keys, const Identity& insert,
                     const CallContext& context) noexcept {
    attempt(context, [&, this] { cache_.end_insert_many(keys, insert, context); });
  }

  // Whoever erases must learn that it failed: always asks the cache, and throws what it throws.
  // `insert`: the one that has ended; null: rows were changed or deleted.
  void erase_many(std::span<const Key> keys, const Identity* insert, const CallContext& context) {
    counted([&, this] {
      if (insert == nullptr) {
        cache_.erase_many(keys, context);
      } else {
        cache_.end_insert_many(keys, *insert, context);
      }
      return true;
    });
  }

  DistrustedKeys& distrusted() noexcept { return distrusted_; }

  // Tries once more to erase those of these keys that are distrusted, in one batch.
  void settle(std::span<const Key> keys, const CallContext& context) noexcept {
    if (!distrusted_.any()) return;
    try {
      // In this order. Whatever was read from the database before the erase that failed is not
      // written any more, or is a late write, or was written before this erases. Who distrusts a
      // key again from here on does so at a later moment.
      const DistrustedKeys::Moment moment = distrusted_.now();
      std::vector<Key> again;
      for (const Key key : keys) {
        if (distrusted_.contains(key) && !flights_.is_written_late(hashed(key))) {
          again.push_back(key);
        }
      }
      if (again.empty()) return;
      if (attempt(context, [&, this] { cache_.erase_many(again, context); })) {
        distrusted_.remove(again, moment);
      }
    } catch (...) {  // no memory: they stay distrusted
    }
  }

 private:
  bool counted(const auto& call) {
    try {
      return call();
    } catch (...) {
      counters_.add(&GuardCounters::cache_errors);
      throw;
    }
  }

  static void ask_some(std::span<const Key> keys, std::span<CacheAnswer<Value>> answers,
                       std::span<const std::size_t> places, const auto& ask) {
    if (places.empty()) return;
    std::vector<Key> some;
    for (const std::size_t i : places) some.push_back(keys[i]);
    std::vector<CacheAnswer<Value>> replies(places.size());
    ask(std::span<const Key>(some), std::span<CacheAnswer<Value>>(replies));
    for (std::size_t i = 0; i < places.size(); ++i) answers[places[i]] = std::move(replies[i]);
  }

  void ask_with_distrust(std::span<const Key> keys, std::span<CacheAnswer<Value>> answers,
                         const CallContext& context, bool strict) noexcept {
    settle(keys, context);
    try {
      // The keys to believe are known before the cache is asked. An entry that is read after that
      // was written after the erase, or the erase that fails is not over yet.
      std::vector<std::size_t> believed;
      for (std::size_t i = 0; i < keys.size(); ++i) {
        answers[i] = {.state = Cached::unknown};
        if (!distrusted_.contains(keys[i])) believed.push_back(i);
      }
      ask_some(keys, answers, believed, [&](std::span<const Key> some, auto replies) {
        ask(some, replies, context, strict);
      });
    } catch (...) {  // no memory
      for (CacheAnswer<Value>& answer : answers) answer = {.state = Cached::unknown};
    }
  }

  void ask(std::span<const Key> keys, std::span<CacheAnswer<Value>> answers,
           const CallContext& context, bool strict) noexcept {
    if (!attempt(context, [&, this] { cache_.get_many(keys, answers, context); })) {
      for (CacheAnswer<Value>& answer : answers) answer = {.state = Cached::unknown};
      return;
    }
    settle_answers(answers, strict);
  }

  // Makes them what the guard may take, and counts the hits.
  void settle_answers(std::span<CacheAnswer<Value>> answers, bool strict) noexcept {
    std::size_t hits = 0;
    std::size_t negatives = 0;
    for (CacheAnswer<Value>& answer : answers) {
      if (answer.state == Cached::hit && !answer.value) answer.state = Cached::miss;
      if (answer.state == Cached::negative && strict) answer.state = Cached::miss;
      // Nothing can be written for it.
      if (answer.state == Cached::miss && answer.lease.empty() && grants_leases()) {
        answer.state = Cached::unknown;
      }
      if (answer.state != Cached::hit) answer.value.reset();
      hits += answer.state == Cached::hit ? 1 : 0;
      negatives += answer.state == Cached::negative ? 1 : 0;
    }
    if (hits != 0) counters_.add(&GuardCounters::cache_hits, hits);
    if (negatives != 0) counters_.add(&GuardCounters::negative_hits, negatives);
  }

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
      // A caller's hurry is no fault of the cache.
      if (!context.is_over()) breaker_.failed();
      return false;
    }
  }

  Cache<Value>& cache_;
  RowFlights<Value>& flights_;
  CounterBoard& counters_;
  const std::chrono::milliseconds value_ttl_;
  const std::chrono::milliseconds negative_ttl_;
  const double refresh_share_;
  const bool knows_of_every_row_;
  Jitter jitter_;
  Breaker breaker_;
  DistrustedKeys distrusted_;
};

}  // namespace bloomery
