#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bloomery/guard/limited_loader.h"
#include "bloomery/guard/lookup.h"
#include "bloomery/guard/pending_inserts.h"

namespace bloomery {

// The way of the keys that the cache does not know: single flight, database, write back. Borrows
// its arguments. All calls may run together.
template <class Value>
class RowFetcher {
 public:
  using Lookups = std::vector<Lookup<Value>*>;

  RowFetcher(FailOpenCache<Value>& cache, LimitedLoader<Value>& loader,
             CounterBoard& counters) noexcept
      : cache_(cache), loader_(loader), counters_(counters) {}

  RowFlights<Value>& flights() noexcept { return flights_; }
  PendingInserts& pending() noexcept { return pending_; }

  // Answers lookups of different keys with at most one query; `cache_works` tells what came of
  // asking the cache. Throws what a query threw; then they are counted as shed or failed.
  void fetch(std::span<Lookup<Value>* const> misses, bool cache_works) {
    Lookups own;
    Lookups others;
    try {
      for (Lookup<Value>* miss : misses) {
        miss->ticket.emplace(flights_.board(miss->key));
        (miss->ticket->leads() ? own : others).push_back(miss);
      }
      look_again(own, cache_works);
      load(own, cache_works);
    } catch (...) {
      give_up(misses);
      throw;
    }
    // Only now, with nothing of ours in the air: two batches that share keys never wait in a ring.
    wait_for(others);
  }

 private:
  using Counter = CounterBoard::Counter;

  // A flight that landed since the cache was asked may have written what was missed.
  void look_again(Lookups& own, bool& cache_works) {
    if (!cache_works) return;
    Lookups overtaken;
    std::ranges::copy_if(own, std::back_inserter(overtaken), [&](const Lookup<Value>* lookup) {
      return flights_.landed(lookup->key) != lookup->landed_before;
    });
    if (overtaken.empty()) return;
    cache_works = ask_cache<Value>(cache_, overtaken);
    for (Lookup<Value>* lookup : overtaken) {
      if (!lookup->answered) continue;
      lookup->ticket->flight().succeed(lookup->answer);
      lookup->ticket->land();
    }
    std::erase_if(own, [](const Lookup<Value>* lookup) { return lookup->answered; });
  }

  void load(const Lookups& own, bool cache_works) {
    if (own.empty()) return;
    std::vector<Key> keys;
    keys.reserve(own.size());
    bool unguarded = !cache_works;
    for (const Lookup<Value>* lookup : own) {
      keys.push_back(lookup->key.key);
      unguarded |= lookup->presence == Presence::unknown;
    }
    std::vector<std::optional<Value>> rows = loader_.load(keys, unguarded);
    for (std::size_t i = 0; i < own.size(); ++i) take_row(*own[i], std::move(rows[i]));
    for (Lookup<Value>* lookup : own) lookup->ticket->flight().succeed(lookup->answer);
    // A cache that has just failed is left alone: it would cost every request a time-out.
    for (auto next = own.begin(); cache_works && next != own.end(); ++next) {
      cache_works = write_back(**next);
    }
    for (Lookup<Value>* lookup : own) lookup->ticket->land();
  }

  void take_row(Lookup<Value>& lookup, std::optional<Value> row) {
    counters_.add(row ? &GuardCounters::found : &GuardCounters::not_found);
    if (!row && lookup.presence == Presence::maybe && !pending_.contains(lookup.key.key)) {
      counters_.add(&GuardCounters::false_positives);
    }
    lookup.answer = std::move(row);
    lookup.answered = true;
  }

  // False when the cache failed.
  bool write_back(const Lookup<Value>& lookup) {
    const Key key = lookup.key.key;
    bool works = true;
    lookup.ticket->flight().write_back([&] {
      if (lookup.answer) {
        works = cache_.put(key, *lookup.answer);
      } else if (!pending_.contains(key)) {
        works = cache_.put_negative(key);
      }
    });
    return works;
  }

  void wait_for(const Lookups& others) {
    std::exception_ptr error;
    for (Lookup<Value>* lookup : others) {
      try {
        lookup->answer = lookup->ticket->flight().wait();
        counters_.add(&GuardCounters::coalesced);
      } catch (...) {
        counters_.add(kind_of_failure());
        error = std::current_exception();
      }
    }
    if (error) std::rethrow_exception(error);
  }

  // In a handler: its exception ends our flights.
  void give_up(std::span<Lookup<Value>* const> misses) {
    for (Lookup<Value>* lookup : misses) {
      if (!lookup->answered) counters_.add(kind_of_failure());
      if (!lookup->ticket || !lookup->ticket->leads()) continue;
      lookup->ticket->flight().fail(std::current_exception());
      lookup->ticket->land();
    }
  }

  // In a handler.
  static Counter kind_of_failure() {
    try {
      throw;
    } catch (const GuardOverloaded&) {
      return &GuardCounters::shed;
    } catch (...) {
      return &GuardCounters::failed;
    }
  }

  FailOpenCache<Value>& cache_;
  LimitedLoader<Value>& loader_;
  CounterBoard& counters_;
  RowFlights<Value> flights_;
  PendingInserts pending_;
};

}  // namespace bloomery
