// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bloomery/guard/limited_loader.h"
#include "bloomery/guard/load_wait.h"
#include "bloomery/guard/lookup.h"
#include "bloomery/guard/pending_inserts.h"

namespace bloomery {

// The way of the keys that the cache does not know: single flight, database, write back. Borrows
// its arguments. All calls may run together.
template <class Value>
class RowFetcher {
 public:
  using Lookups = std::span<Lookup<Value>*>;

  RowFetcher(RowFlights<Value>& flights, FailOpenCache<Value>& cache, LimitedLoader<Value>& loader,
             PendingInserts& pending, CounterBoard& counters, const GuardOptions& options) noexcept
      : flights_(flights),
        cache_(cache),
        loader_(loader),
        pending_(pending),
        counters_(counters),
        wait_limit_(options.wait_limit),
        reads_replica_(options.reads_replica),
        rows_are_announced_(options.mode == GuardMode::announced) {}

  // Answers lookups of different keys with at most one query, and one more for each flight that
  // somebody else gave up or, where rows are not announced, that found no row; and for each lease
  // that another process let go. Throws what a query threw, WaitedTooLong, and CallAborted when the
  // context is over; then they are counted as shed, failed or aborted. Changes the order of the
  // lookups.
  void fetch(Lookups misses, const CallContext& context) {
    // Behind a fence an answer from before the request is none: nobody's flight is shared.
    if (context.fence != nullptr) return load_alone(misses, context);
    while (!misses.empty()) misses = fly(misses, context);
  }

  // Loads answered lookups anew under their leases, if the database has room for the query. What
  // goes wrong is counted, and no more: they keep their answers.
  void refresh(Lookups due, const CallContext& context) noexcept {
    try {
      const SmallArray<Key> keys = keys_of<Value>(due);
      const auto rows = loader_.try_load(keys.all(), context);
      Leavings leavings(due.size());
      for (std::size_t i = 0; i < due.size(); ++i) {
        const std::optional<Value>* const row = rows ? &(*rows)[i] : nullptr;
        if (row != nullptr && (*row || may_write_none(due[i]->key.key))) {
          leavings.write(*due[i], *row);
        } else {
          leavings.drop(*due[i]);
        }
      }
      leave(leavings, context);
    } catch (...) {  // no memory: the leases end by themselves
    }
  }

 private:
  using Counter = CounterBoard::Counter;
  using FlightOfRow = Flight<std::optional<Value>>;

  // Moves the lookups that `come_first` to the front, in their order, and returns them.
  static Lookups bring_forward(Lookups lookups, auto come_first) {
    std::size_t count = 0;
    for (Lookup<Value>*& lookup : lookups) {
      if (come_first(*lookup)) std::swap(lookups[count++], lookup);
    }
    return lookups.first(count);
  }

  // Returns those whose leader gave up, and those that may not share his "no".
  Lookups fly(Lookups misses, const CallContext& context) {
    Lookups own;
    try {
      own = bring_forward(misses, [&, this](Lookup<Value>& miss) { return board(miss); });
      Lookups left = look_again(own, context);
      LoadWait wait(wait_limit_);
      while (!left.empty()) {
        const Lookups ready =
            bring_forward(left, [](const Lookup<Value>& lookup) { return !lookup.is_awaited; });
        load(ready, context);
        left = claim_again(left.subspan(ready.size()), wait, context);
      }
    } catch (...) {
      give_up(misses, context);
      throw;
    }
    // Only now, with nothing of ours in the air: two batches that share keys never wait in a ring.
    return wait_for(misses.subspan(own.size()), context);
  }

  // Returns whether it leads. Who has a lease always does: what flies without it is out of date, or
  // waits for this one.
  bool board(Lookup<Value>& miss) {
    miss.ticket.reset();
    miss.ticket.emplace(flights_.board(miss.key));
    while (!miss.ticket->leads() && !miss.lease.empty()) {
      flights_.detach(miss.key);
      miss.ticket.reset();
      miss.ticket.emplace(flights_.board(miss.key));
    }
    return miss.ticket->leads();
  }

  // Asks the cache for rows that other processes load, after a pause; without one where something
  // has happened meanwhile. Returns those that it does not have yet.
  Lookups claim_again(Lookups awaited, LoadWait& wait, const CallContext& context) {
    if (awaited.empty()) return awaited;
    const auto has_landed = [&](const Lookup<Value>* lookup) {
      return flights_.landed(lookup->key) != lookup->landed_before;
    };
    if (std::ranges::none_of(awaited, has_landed)) wait.pause(context);
    for (Lookup<Value>* lookup : awaited) lookup->landed_before = flights_.landed(lookup->key);
    claim<Value>(cache_, awaited, context);
    land_answered(awaited);
    return bring_forward(awaited, [](const Lookup<Value>& lookup) { return !lookup.answered; });
  }

  static void land_answered(std::span<Lookup<Value>* const> lookups) {
    for (Lookup<Value>* lookup : lookups) {
      if (!lookup->answered) continue;
      land_first(*lookup, [](FlightOfRow& flight, std::optional<Value> answer) {
        flight.succeed(std::move(answer));
        return true;
      });
    }
  }

  // Lands, and then tells those aboard. In this order: who may not share the answer and asks again
  // must not meet the same flight. The answer is copied before: a flight that has landed must end.
  static bool land_first(Lookup<Value>& lookup, const auto& tell) {
    std::optional<Value> answer = lookup.answer;
    lookup.ticket->land();
    return tell(lookup.ticket->flight(), std::move(answer));
  }

  // A flight that landed since the cache was asked may have written what was missed. Returns what
  // is missed still.
  Lookups look_again(Lookups own, const CallContext& context) {
    const auto is_overtaken = [&](const Lookup<Value>* lookup) {
      return lookup->cache_works && !cache_.grants_leases() &&
             flights_.landed(lookup->key) != lookup->landed_before;
    };
    if (std::ranges::none_of(own, is_overtaken)) return own;
    std::vector<Lookup<Value>*> overtaken;
    std::ranges::copy_if(own, std::back_inserter(overtaken), is_overtaken);
    ask_cache<Value>(cache_, overtaken, context);
    land_answered(overtaken);
    return bring_forward(own, [](const Lookup<Value>& lookup) { return !lookup.answered; });
  }

  void load(Lookups own, const CallContext& context) {
    if (own.empty()) return;
    query(own, context);
    answer_and_write(own, context);
    for (Lookup<Value>* lookup : own) lookup->ticket->land();
    // Settles keys that an eraser in a hurry could not wait for.
    if (cache_.distrusted().any()) cache_.settle(keys_of<Value>(own).all(), context);
  }

  void query(std::span<Lookup<Value>* const> lookups, const CallContext& context) {
    const SmallArray<Key> keys = keys_of(lookups);
    std::vector<std::optional<Value>> rows = loader_.load(keys.all(), context);
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

  // Leavings: what is left to the cache, entries to be written and leases that are given back. They
  // view lookups and their rows.
  struct Leavings {
    explicit Leavings(std::size_t most) : entries(most) {}

    void write(const Lookup<Value>& lookup, const std::optional<Value>& row) {
      entries.all()[count++] = {.key = lookup.key.key,
                                .value = row ? &*row : nullptr,
                                .ticket = lookup.cache_ticket,
                                .lease = lookup.lease};
    }
    void drop(const Lookup<Value>& lookup) {
      if (!lookup.lease.empty()) drops.push_back({.key = lookup.key.key, .lease = lookup.lease});
    }

    SmallArray<CacheEntry<Value>> entries;
    std::size_t count = 0;
    std::vector<CacheEntry<Value>> drops{};
  };

  void leave(Leavings& leavings, const CallContext& context) noexcept {
    if (leavings.count != 0) {
      cache_.put_many(leavings.entries.all().first(leavings.count), context);
    }
    cache_.drop_many(leavings.drops, context);
  }

  // Flights that are being written back; none of them is detached before the write is through.
  struct Writing {
    explicit Writing(std::size_t most) : flights(most) {}
    Writing(const Writing&) = delete;
    Writing& operator=(const Writing&) = delete;
    ~Writing() {
      for (FlightOfRow* flight : flights.all().first(count)) flight->end_write();
    }

    SmallArray<FlightOfRow*> flights;
    std::size_t count = 0;
  };

  // Tells those who share the flights, and writes back in one batch. Leaves out what the cache
  // could not be asked for: it would only fail again.
  void answer_and_write(Lookups own, const CallContext& context) {
    Leavings leavings(own.size());
    Writing writing(own.size());
    for (Lookup<Value>* lookup : own) {
      if (tell(*lookup)) {
        writing.flights.all()[writing.count++] = &lookup->ticket->flight();
        leavings.write(*lookup, lookup->answer);
      } else {
        leavings.drop(*lookup);
      }
    }
    leave(leavings, context);
    for (Lookup<Value>* lookup : own) lookup->lease.clear();
  }

  // Tells those who share the flight. Returns whether its answer is to be written. What is written
  // under a lease need not be in the air until it is there: an erase ends the lease.
  bool tell(Lookup<Value>& lookup) {
    const bool writes = lookup.cache_works && is_worth_writing(lookup);
    const auto end = [writes](FlightOfRow& flight, std::optional<Value> answer) {
      if (writes) return flight.succeed_and_write(std::move(answer));
      flight.succeed(std::move(answer));
      return false;
    };
    if (cache_.grants_leases() || (!lookup.answer && !rows_are_announced_)) {
      return land_first(lookup, end);
    }
    return end(lookup.ticket->flight(), lookup.answer);
  }

  bool is_worth_writing(const Lookup<Value>& lookup) const {
    return lookup.answer || may_write_none(lookup.key.key);
  }
  bool may_write_none(Key key) const {
    return rows_are_announced_ && !reads_replica_ && !pending_.contains(key);
  }

  void load_alone(Lookups misses, const CallContext& context) {
    try {
      query(misses, context);
    } catch (...) {
      give_up(misses, context);
      throw;
    }
  }

  // Waits for the flights of others. Returns as fly() does.
  Lookups wait_for(Lookups others, const CallContext& context) {
    std::exception_ptr error;
    const Lookups left = bring_forward(others, [&, this](Lookup<Value>& lookup) {
      try {
        lookup.answer = lookup.ticket->flight().wait(context);
        // A shared query may have begun before the row was committed, or erased by another
        // process. The next flight of the key begins after this one has landed.
        const bool may_be_older =
            cache_.grants_leases() || (!lookup.answer && !rows_are_announced_);
        if (may_be_older && !lookup.has_waited) {
          lookup.has_waited = true;
          lookup.answer.reset();
          return true;
        }
        lookup.answered = true;
        counters_.add(&GuardCounters::coalesced);
      } catch (const FlightAbandoned&) {
        return true;
      } catch (...) {
        counters_.add(kind_of_failure(context));
        error = std::current_exception();
      }
      return false;
    });
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
    Leavings leavings(0);
    for (Lookup<Value>* lookup : misses) leavings.drop(*lookup);
    leave(leavings, context);
    const std::exception_ptr error =
        context.is_over() ? std::make_exception_ptr(FlightAbandoned()) : std::current_exception();
    for (Lookup<Value>* lookup : misses) {
      if (!lookup->answered) counters_.add(kind_of_failure(context));
      if (lookup->ticket && lookup->ticket->leads()) lookup->ticket->fail(error);
    }
  }

  // Called in a handler: the counter of the exception at hand.
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

  RowFlights<Value>& flights_;
  FailOpenCache<Value>& cache_;
  LimitedLoader<Value>& loader_;
  PendingInserts& pending_;
  CounterBoard& counters_;
  const std::chrono::milliseconds wait_limit_;
  const bool reads_replica_;
  const bool rows_are_announced_;
};

}  // namespace bloomery
