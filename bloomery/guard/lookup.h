// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "bloomery/guard/fail_open_cache.h"
#include "bloomery/guard/hashed_key.h"
#include "bloomery/guard/row_flights.h"
#include "bloomery/guard/small_array.h"
#include "bloomery/place/presence.h"

namespace bloomery {

// One key that may exist, on its way to an answer. The key is the caller's.
template <class Value>
struct Lookup {
  HashedKey key;
  Presence presence = Presence::unknown;
  std::uint64_t landed_before = 0;  // RowFlights::landed() from before the cache was asked

  bool cache_works = true;         // as far as this key is concerned
  std::uint64_t cache_ticket = 0;  // what the cache wants back with the row
  std::string lease{};             // the same, of a cache that grants leases; empty once it has it
  bool is_awaited = false;         // another process loads it, as far as the cache knows

  bool has_waited = false;  // for a query that had perhaps begun before it
  bool answered = false;
  std::optional<Value> answer = std::nullopt;
  std::optional<typename RowFlights<Value>::Ticket> ticket = std::nullopt;

  void take(CacheAnswer<Value> cached) {
    cache_works = cached.state != Cached::unknown;
    cache_ticket = cached.ticket;
    lease = std::move(cached.lease);
    is_awaited = cached.state == Cached::awaited;
    answered = cached.state == Cached::hit || cached.state == Cached::negative;
    answer = std::move(cached.value);
  }
};

template <class Value>
SmallArray<Key> keys_of(std::span<Lookup<Value>* const> lookups) {
  SmallArray<Key> keys(lookups.size());
  for (std::size_t i = 0; i < lookups.size(); ++i) keys.all()[i] = lookups[i]->key.key;
  return keys;
}

// Asks the cache again about keys that it knew nothing of.
template <class Value>
void claim(FailOpenCache<Value>& cache, std::span<Lookup<Value>* const> lookups,
           const CallContext& context) {
  const SmallArray<Key> keys = keys_of<Value>(lookups);
  SmallArray<CacheAnswer<Value>> answers(lookups.size());
  cache.claim_many(keys.all(), answers.all(), context);
  for (std::size_t i = 0; i < lookups.size(); ++i) lookups[i]->take(std::move(answers.all()[i]));
}

// One batch to the cache, where it has not been asked already.
template <class Value>
void ask_cache(FailOpenCache<Value>& cache, std::span<Lookup<Value>* const> lookups,
               const CallContext& context, std::span<CacheAnswer<Value>> brought = {}) {
  const SmallArray<Key> keys = keys_of<Value>(lookups);
  SmallArray<CacheAnswer<Value>> answers(lookups.size());
  if (brought.empty()) {
    cache.ask_many(keys.all(), answers.all(), context, context.fence != nullptr);
  } else {
    std::ranges::move(brought, answers.all().begin());
    cache.take_many(keys.all(), answers.all(), context);
  }
  for (std::size_t i = 0; i < lookups.size(); ++i) lookups[i]->take(std::move(answers.all()[i]));
}

}  // namespace bloomery
