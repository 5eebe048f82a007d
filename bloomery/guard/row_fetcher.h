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

  RowFetcher(FailOpenCache<Value>& cache, LimitedLoader<Value>& loader, PendingInserts& pending,
             CounterBoard& counters, bool reads_replica) noexcept
      : cache_(cache),
        loader_(loader),
        pending_(pending),
        counters_(counters),
        reads_replica_(reads_replica) {}

  RowFlights<Value>& flights() noexcept { return flights_; }

  // Answers lookups of different keys with at most one query, and one more for each flight that
  // somebody else gave up. Throws what a query threw, and CallAborted when the context is over;
  // then they are counted as shed, failed or aborted.
  void fetch(std::span<Lookup<Value>* const> misses, const CallContext& context) {
    // Behind a fence an answer from before the request is none: nobody's flight is shared.
    if (context.fence != nullptr) return load_alone(misses, context);
    Lookups left(misses.begin(), misses.end());
    while (!left.empty()) left = fly(left, context);
  }

 private:
  using Counter = CounterBoard::Counter;
  using FlightOfRow = Flight<std::optional<Value>>;

  // Returns those whose leader gave up.
  Lookups fly(const Lookups& misses, const CallContext& context) {
    Lookups own;
    Lookups others;
    try {
      for (Lookup<Value>* miss : misses) {
        miss->ticket.reset();
        miss->ticket.emplace(flights_.board(miss->key));
        (miss->ticket->leads() ? own : others).push_back(miss);
      }
      look_again(own, context);
      load(own, context);
    } catch (...) {
      give_up(misses, context);
      throw;
    }
    // Only now, with nothing of ours in the air: two batches that share keys never wait in a ring.
    return wait_for(others, context);
  }

  // A flight that landed since the cache was asked may have written what was missed.
  void look_again(Lookups& own, const CallContext& context) {
    Lookups overtaken;
    std::ranges::copy_if(own, std::back_inserter(overtaken), [&](const Lookup<Value>* lookup) {
      return lookup->cache_works && flights_.landed(lookup->key) != lookup->landed_before;
    });
    if (overtaken.empty()) return;
    ask_cache<Value>(cache_, overtaken, context);
    for (Lookup<Value>* lookup : overtaken) {
      if (!lookup->answered) continue;
      lookup->ticket->flight().succeed(lookup->answer);
      lookup->ticket->land();
    }
    std::erase_if(own, [](const Lookup<Value>* lookup) { return lookup->answered; });
  }

  void load(const Lookups& own, const CallContext& context) {
    if (own.empty()) return;
    query(own, context);
    for (Lookup<Value>* lookup : own) lookup->ticket->flight().succeed(lookup->answer);
    write_back(own, context);
    for (Lookup<Value>* lookup : own) lookup->ticket->land();
  }

  void query(std::span<Lookup<Value>* const> lookups, const CallContext& context) {
    std::vector<Key> keys;
    keys.reserve(lookups.size());
    for (const Lookup<Value>* lookup : lookups) keys.push_back(lookup->key.key);
    std::vector<std::optional<Value>> rows = loader_.load(keys, context);
    for (std::size_t i = 0; i < lookups.size(); ++i) take_row(*lookups[i], std::move(rows[i]));
  }

  void take_row(Lookup<Value>& lookup, std::optional<Value> row) {
    counters_.add(row ? &GuardCounters::found : &GuardCounters::not_found);
    lookup.answered = true;
    lookup.answer = std::move(row);
    if (!lookup.answer && lookup.presence == Presence::maybe &&
        !pending_.contains(lookup.key.key)) {
      counters_.add(&GuardCounters::false_positives);
    }
  }

  // Flights that are being written back; none of them is detached before the write is through.
  struct Writing {
    std::vector<FlightOfRow*> flights;
    ~Writing() {
      for (FlightOfRow* flight : flights) flight->end_write();
    }
  };

  // One batch. Leaves out what the cache could not be asked for: it would only fail again.
  void write_back(const Lookups& own, const CallContext& context) {
    std::vector<CacheEntry<Value>> entries;
    entries.reserve(own.size());
    Writing writing;
    writing.flights.reserve(own.size());
    for (const Lookup<Value>* lookup : own) {
      if (!lookup->cache_works || !is_worth_writing(*lookup)) continue;
      FlightOfRow& flight = lookup->ticket->flight();
      if (!flight.begin_write()) continue;
      writing.flights.push_back(&flight);
      entries.push_back({.key = lookup->key.key,
                         .value = lookup->answer ? &*lookup->answer : nullptr,
                         .ticket = lookup->cache_ticket});
    }
    if (!entries.empty()) cache_.put_many(entries, context);
  }

  bool is_worth_writing(const Lookup<Value>& lookup) const {
    return lookup.answer || (!reads_replica_ && !pending_.contains(lookup.key.key));
  }

  void load_alone(std::span<Lookup<Value>* const> misses, const CallContext& context) {
    try {
      query(misses, context);
    } catch (...) {
      give_up(misses, context);
      throw;
    }
  }

  // Returns those whose leader gave up.
  Lookups wait_for(const Lookups& others, const CallContext& context) {
    std::exception_ptr error;
    Lookups left;
    for (Lookup<Value>* lookup : others) {
      try {
        lookup->answer = lookup->ticket->flight().wait(context);
        lookup->answered = true;
        counters_.add(&GuardCounters::coalesced);
      } catch (const FlightAbandoned&) {
        left.push_back(lookup);
      } catch (...) {
        counters_.add(kind_of_failure(context));
        error = std::current_exception();
      }
    }
    if (!error) return left;
    try {
      std::rethrow_exception(error);
    } catch (...) {
      counters_.add(kind_of_failure(context), left.size());
      throw;
    }
  }

  // In a handler: its exception ends our flights. If it is our own hurry that ended them, those who
  // share them are not told "failed": they ask anew.
  void give_up(std::span<Lookup<Value>* const> misses, const CallContext& context) {
    const std::exception_ptr error =
        context.is_over() ? std::make_exception_ptr(FlightAbandoned()) : std::current_exception();
    for (Lookup<Value>* lookup : misses) {
      if (!lookup->answered) counters_.add(kind_of_failure(context));
      if (!lookup->ticket || !lookup->ticket->leads()) continue;
      lookup->ticket->flight().fail(error);
      lookup->ticket->land();
    }
  }

  // In a handler.
  static Counter kind_of_failure(const CallContext& context) {
    try {
      throw;
    } catch (const GuardOverloaded&) {
      return &GuardCounters::shed;
    } catch (const CallAborted&) {
      return &GuardCounters::aborted;
    } catch (...) {
      return context.is_over() ? &GuardCounters::aborted : &GuardCounters::failed;
    }
  }

  FailOpenCache<Value>& cache_;
  LimitedLoader<Value>& loader_;
  PendingInserts& pending_;
  CounterBoard& counters_;
  const bool reads_replica_;
  RowFlights<Value> flights_;
};

}  // namespace bloomery
