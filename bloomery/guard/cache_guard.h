#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bloomery/guard/fail_open_filter.h"
#include "bloomery/guard/insert_token.h"
#include "bloomery/guard/row_fetcher.h"

namespace bloomery {

// Keeps look-ups for rows that do not exist away from a cache and a database, and all but one of
// those that ask for the same row at once. A key goes
//   filter -> cache -> single flight -> database -> write back
// and stops at the first that knows: `absent` from the filter, a value or a negative entry from the
// cache. What fails on the way opens the guard, never closes it; then queries are limited instead.
// docs/guard.md says what happens when.
//
// An absent key costs what the filter costs and one relaxed addition: no lock, no allocation.
// All calls may run together. Filter and cache are borrowed: they outlive the guard, and the guard
// its tokens.
template <class Value = std::string>
class CacheGuard {
 public:
  // Throws std::invalid_argument on options out of range or an empty loader.
  CacheGuard(FilterPlace& filter, Cache<Value>& cache, Loader<Value> loader,
             const GuardOptions& options = {})
      : filter_(filter, counters_),
        cache_(cache, counters_, validated(options)),
        loader_(std::move(loader), counters_, options),
        rows_(cache_, loader_, counters_) {}

  CacheGuard(const CacheGuard&) = delete;
  CacheGuard& operator=(const CacheGuard&) = delete;

  // The row of the key, or nullopt where there is none. Throws what the loader throws, LoaderError,
  // or GuardOverloaded; never because filter or cache failed.
  std::optional<Value> get(Key key) {
    const Presence presence = filter_.ask(key);
    if (presence == Presence::absent) {
      counters_.add(&GuardCounters::filter_absents);
      return std::nullopt;
    }
    Lookup<Value> lookup = lookup_of(hashed(key), presence);
    CacheAnswer<Value> cached;
    const bool cache_works = cache_.ask_many({&key, 1}, {&cached, 1});
    lookup.take(std::move(cached));
    Lookup<Value>* const miss = &lookup;
    if (!lookup.answered) rows_.fetch({&miss, 1}, cache_works);
    return std::move(lookup.answer);
  }

  // Answer i is what get(keys[i]) would be: with one batch to the filter, one to the cache (a
  // second for keys that others loaded meanwhile), and at most one query. Throws as get() does,
  // then for all keys together.
  std::vector<std::optional<Value>> get_many(std::span<const Key> keys) {
    std::vector<std::optional<Value>> answers(keys.size());
    Batch batch = may_exist(keys);
    std::vector<Lookup<Value>*> lookups;
    for (Lookup<Value>& lookup : batch.lookups) lookups.push_back(&lookup);
    if (lookups.empty()) return answers;

    const bool cache_works = ask_cache<Value>(cache_, lookups);
    std::erase_if(lookups, [](const Lookup<Value>* lookup) { return lookup->answered; });
    if (!lookups.empty()) rows_.fetch(lookups, cache_works);
    for (const auto& [position, lookup] : batch.positions) {
      answers[position] = batch.lookups[lookup].answer;
    }
    return answers;
  }

  // Call before the row becomes visible to others, and hold the token until after the commit. The
  // key enters the filter; while the token lives no negative entry is written for it; at its end
  // one that was there before is removed. Throws what the filter throws: then do not insert.
  InsertToken will_insert(Key key) {
    filter_.insert(key);
    std::string owned(key);
    rows_.pending().add(key);
    try {
      rows_.flights().detach(hashed(key));
      return InsertToken([this, owned] { inserted(owned); });
    } catch (...) {
      rows_.pending().remove(owned);
      throw;
    }
  }

  // Call after a row was deleted or changed: its cached value goes, and a query under way does not
  // bring it back. (The filter keeps the key; that costs a query now and then, never an answer.)
  // Throws what the cache throws: then the old value may be served until it expires.
  void erased(Key key) {
    rows_.flights().detach(hashed(key));
    cache_.erase(key);
  }

  GuardCounters counters() const noexcept { return counters_.snapshot(); }

 private:
  // The different keys of a batch that may exist, and which position of the batch waits for which.
  struct Batch {
    std::vector<Lookup<Value>> lookups;
    std::vector<std::pair<std::size_t, std::size_t>> positions;
  };

  Lookup<Value> lookup_of(HashedKey key, Presence presence) {
    return {.key = key, .presence = presence, .landed_before = rows_.flights().landed(key)};
  }

  Batch may_exist(std::span<const Key> keys) {
    std::vector<Presence> presences(keys.size());
    filter_.ask_many(keys, presences);
    Batch batch;
    std::unordered_map<HashedKey, std::size_t, HashedKeyHash> index;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (presences[i] == Presence::absent) continue;
      const HashedKey key = hashed(keys[i]);
      const auto [entry, is_new] = index.try_emplace(key, batch.lookups.size());
      if (is_new) batch.lookups.push_back(lookup_of(key, presences[i]));
      batch.positions.emplace_back(i, entry->second);
    }
    counters_.add(&GuardCounters::filter_absents, keys.size() - batch.positions.size());
    counters_.add(&GuardCounters::coalesced, batch.positions.size() - batch.lookups.size());
    return batch;
  }

  // After the commit. What was read before it is out of date, in the air and in the cache.
  void inserted(const std::string& key) {
    rows_.flights().detach(hashed(key));
    rows_.pending().remove(key);
    cache_.erase(key);
  }

  CounterBoard counters_;
  FailOpenFilter filter_;
  FailOpenCache<Value> cache_;
  LimitedLoader<Value> loader_;
  RowFetcher<Value> rows_;
};

}  // namespace bloomery
