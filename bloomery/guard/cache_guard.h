// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bloomery/guard/fail_open_filter.h"
#include "bloomery/guard/filter_audit.h"
#include "bloomery/guard/insert_token.h"
#include "bloomery/guard/lookaside.h"
#include "bloomery/guard/row_eraser.h"
#include "bloomery/guard/row_fetcher.h"
#include "bloomery/place/fenced_place.h"

namespace bloomery {

// Keeps look-ups for rows that do not exist away from a cache and a database, and all but one of
// those that ask for the same row at once. A key goes
//   filter -> cache -> single flight -> database -> write back
// and stops at the first that knows: `absent` from the filter, a value or a negative entry from the
// cache. What fails on the way opens the guard, never closes it; queries are limited, whatever they
// are for. docs/guard.md says what happens when.
//
// An absent key costs what the filter costs and a few loads: no lock, no allocation. All calls may
// run together. Filter and cache are borrowed: they outlive the guard, and the guard its tokens.
//
// If rows also come past the guard, and a follower brings them to the filter, GuardOptions::mode
// says how old a "no such row" may be: it is said behind a fence, and nothing of it is kept in the
// cache or taken from there.
//
// A call whose context is over throws CallAborted as soon as it would wait for another's query or
// for its turn; the context also goes to filter, cache and loader. Behind a fence (context.fence)
// neither negative entries nor queries of others are answers.
template <CacheValue Value = std::string>
class CacheGuard {
 public:
  // Throws std::invalid_argument on options out of range or an empty loader.
  //
  // `lookaside` asks filter and cache in one trip, and must be of these two: look-ups go through it
  // where rows are announced, but for those behind a fence. It outlives the guard.
  CacheGuard(FilterPlace& filter, Cache<Value>& cache, Loader<Value> loader,
             const GuardOptions& options = {}, Lookaside<Value>* lookaside = nullptr)
      : fenced_(fence_in(filter, validated(options), counters_)),
        filter_(fenced_ ? *fenced_ : filter, counters_, options),
        lookaside_(fenced_ ? nullptr : lookaside),
        cache_(cache, flights_, counters_, options),
        loader_(std::move(loader), counters_, options),
        audit_(filter_, pending_, counters_, options,
               [this](Key key, const CallContext& context) -> std::optional<bool> {
                 const auto rows = loader_.try_load({&key, 1}, context);
                 if (!rows) return std::nullopt;
                 return rows->front().has_value();
               }),
        rows_(flights_, cache_, loader_, pending_, counters_, options),
        eraser_(flights_, cache_) {}

  CacheGuard(const CacheGuard&) = delete;
  CacheGuard& operator=(const CacheGuard&) = delete;

  // The row of the key, or nullopt where there is none. Throws what the loader throws, LoaderError,
  // GuardOverloaded or CallAborted, and std::invalid_argument for a fence that names no source;
  // never because filter or cache failed.
  std::optional<Value> get(Key key, const CallContext& context = kNoContext) {
    require_fence(context);
    if (looks_aside(context)) return std::move(get_many({&key, 1}, context).front());
    const Presence presence = filter_.ask(key, context);
    if (presence == Presence::absent) {
      if (audit_.is_due()) return std::move(audited({&key, 1}, context).front());
      counters_.add(&GuardCounters::filter_absents);
      return std::nullopt;
    }
    Lookup<Value> lookup = lookup_of(hashed(key), presence);
    CacheAnswer<Value> cached;
    cache_.ask_many({&key, 1}, {&cached, 1}, context, context.fence != nullptr);
    lookup.take(std::move(cached));
    Lookup<Value>* miss = &lookup;
    if (!lookup.answered) rows_.fetch({&miss, 1}, context);
    if (!lookup.lease.empty()) rows_.refresh({&miss, 1}, context);
    return std::move(lookup.answer);
  }

  // Answer i is what get(keys[i]) would be: with one batch to the filter, one to the cache (a
  // second for keys that others loaded meanwhile), at most one query, and one batch to write back.
  // Throws as get() does, then for all keys together.
  std::vector<std::optional<Value>> get_many(std::span<const Key> keys,
                                             const CallContext& context = {}) {
    require_fence(context);
    std::vector<std::optional<Value>> answers(keys.size());
    Batch batch = may_exist(keys, answers, context);
    std::vector<Lookup<Value>*> lookups;
    for (Lookup<Value>& lookup : batch.lookups) lookups.push_back(&lookup);
    if (lookups.empty()) return answers;

    ask_cache<Value>(cache_, lookups, context, batch.brought);
    std::erase_if(lookups, [](const Lookup<Value>* lookup) { return lookup->answered; });
    if (!lookups.empty()) rows_.fetch(lookups, context);
    lookups.clear();
    for (Lookup<Value>& lookup : batch.lookups) {
      if (!lookup.lease.empty()) lookups.push_back(&lookup);
    }
    if (!lookups.empty()) rows_.refresh(lookups, context);
    for (const auto& [position, lookup] : batch.positions) {
      answers[position] = batch.lookups[lookup].answer;
    }
    return answers;
  }

  // Call before rows become visible to others, and hold the token until after the commit. The keys
  // enter the filter, in one batch; while the token lives no negative entry is written for them; at
  // its end those that were there before are removed, in one batch. A cache that processes share is
  // told at both. Waits for nobody's query or write. Throws what filter and cache throw: then do
  // not insert.
  InsertToken will_insert_many(std::span<const Key> keys, const CallContext& context = {}) {
    const auto owned = std::make_shared<const std::vector<std::string>>(keys.begin(), keys.end());
    // Pending first: a rebuild that begins now waits for what went into the old filter only.
    const PendingInserts::Id id = pending_.add(owned);
    try {
      const Identity insert = Identity::random();
      audit_.forget(keys);
      filter_.insert_many(keys, context);
      announce(keys, insert, context);
      return InsertToken([this, owned, insert,
                          id](const CallContext* within) { inserted(*owned, insert, id, within); },
                         [this, id] { pending_.remove(id); },
                         [this, owned, insert](const CallContext& within) {
                           const std::vector<Key> views(owned->begin(), owned->end());
                           filter_.insert_many(views, within);
                           return cache_.announce_many(views, insert, within);
                         });
    } catch (...) {
      pending_.remove(id);
      throw;
    }
  }
  InsertToken will_insert(Key key, const CallContext& context = {}) {
    return will_insert_many({&key, 1}, context);
  }

  // Call after rows were deleted or changed: their cached values go, and a query under way does not
  // bring them back. (The filter keeps the keys; that costs a query now and then, never an answer.)
  // Waits for a write of these keys to the cache that is under way. Throws what the cache throws,
  // and CallAborted when the context is over before: then the old values may still be in the cache.
  // This guard asks the database for these keys from then on, and tries to erase them whenever they
  // are asked for; for others who share the cache, call this again.
  void erased_many(std::span<const Key> keys, const CallContext& context = {}) {
    audit_.forget(keys);
    eraser_.erase(keys, nullptr, &context);
  }
  void erased(Key key, const CallContext& context = {}) { erased_many({&key, 1}, context); }

  // Returns when all tokens that live now have ended: between the beginning of a rebuild and the
  // scan, so that the scan sees the rows whose keys went into the old filter only. False when the
  // context is over before.
  bool wait_for_inserts(const CallContext& context = {}) { return pending_.wait_out(context); }

  // Returns whether an audit found a row that the filter denies. Everything is `unknown` from then
  // on, until somebody says that the filter holds every key again.
  bool is_in_doubt() const noexcept { return filter_.is_doubted(); }
  void ready() noexcept {
    audit_.forget_all();
    filter_.doubt(false);
  }

  // A snapshot of the counters since the guard was made.
  GuardCounters counters() const noexcept { return counters_.snapshot(); }
  // How long absent keys took, with the fence's question; null where rows are announced, and empty
  // in a budget.
  const WaitTimes* fence_waits() const noexcept { return fenced_ ? &fenced_->waits() : nullptr; }

 private:
  static void require_fence(const CallContext& context) {
    if (context.has_nameless_fence()) [[unlikely]]
      refuse_nameless_fence("a cache guard");
  }

  static std::unique_ptr<FencedPlace> fence_in(FilterPlace& filter, const GuardOptions& options,
                                               CounterBoard& counters) {
    if (options.mode == GuardMode::announced) return nullptr;
    FencedOptions fenced{.longest_wait = options.fence_wait};
    if (options.mode == GuardMode::budget) fenced.budget = options.budget;
    return std::make_unique<FencedPlace>(filter, options.fence, fenced, counters);
  }

  // The different keys of a batch that may exist, and which position of the batch waits for which.
  struct Batch {
    std::vector<Lookup<Value>> lookups;
    std::vector<std::pair<std::size_t, std::size_t>> positions;
    std::vector<CacheAnswer<Value>> brought{};  // of each look-up, where the cache was asked too
  };

  bool looks_aside(const CallContext& context) const noexcept {
    return lookaside_ != nullptr && context.fence == nullptr && cache_.may_ask_ahead();
  }

  Lookup<Value> lookup_of(HashedKey key, Presence presence) {
    return {.key = key, .presence = presence, .landed_before = flights_.landed(key)};
  }

  Batch may_exist(std::span<const Key> keys, std::span<std::optional<Value>> answers,
                  const CallContext& context) {
    std::vector<Presence> presences(keys.size());
    const bool asks_both = looks_aside(context);
    std::vector<LookAsideAnswer<Value>> both(asks_both ? keys.size() : 0);
    std::vector<std::uint64_t> landed;  // before the cache was asked
    if (asks_both) {
      for (const Key key : keys) landed.push_back(flights_.landed(hashed(key)));
      filter_.ask_many_by(presences, context, [&, this] { look(keys, both, presences, context); });
    } else {
      filter_.ask_many(keys, presences, context);
    }
    Batch batch;
    std::unordered_map<HashedKey, std::size_t, HashedKeyHash> index;
    std::vector<std::size_t> drawn;  // positions of absent keys
    std::size_t absent_count = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (presences[i] == Presence::absent) {
        ++absent_count;
        if (audit_.is_due()) drawn.push_back(i);
        continue;
      }
      const HashedKey key = hashed(keys[i]);
      const auto [entry, is_new] = index.try_emplace(key, batch.lookups.size());
      if (is_new) batch.lookups.push_back(lookup_of(key, presences[i]));
      if (is_new && asks_both) {
        batch.lookups.back().landed_before = landed[i];
        batch.brought.push_back(std::move(both[i].cached));
      }
      batch.positions.emplace_back(i, entry->second);
    }
    counters_.add(&GuardCounters::filter_absents, absent_count - drawn.size());
    counters_.add(&GuardCounters::coalesced, batch.positions.size() - batch.lookups.size());
    if (!drawn.empty()) audit(keys, drawn, answers, context);
    return batch;
  }

  void look(std::span<const Key> keys, std::span<LookAsideAnswer<Value>> both,
            std::span<Presence> presences, const CallContext& context) {
    if (keys.size() == 1) {
      both[0] = lookaside_->look(keys[0], context);
    } else {
      lookaside_->look_many(keys, both, context);
    }
    std::ranges::transform(both, presences.begin(), &LookAsideAnswer<Value>::presence);
  }

  void audit(std::span<const Key> keys, std::span<const std::size_t> drawn,
             std::span<std::optional<Value>> answers, const CallContext& context) {
    std::vector<Key> absent;
    for (const std::size_t position : drawn) absent.push_back(keys[position]);
    std::vector<std::optional<Value>> rows = audited(absent, context);
    for (std::size_t i = 0; i < drawn.size(); ++i) answers[drawn[i]] = std::move(rows[i]);
  }

  // Asks the database for absent keys, if it has room for the question; otherwise returns no rows.
  std::vector<std::optional<Value>> audited(std::span<const Key> keys, const CallContext& context) {
    audit_.look_again(context);
    FilterAudit::Inquiry inquiry(audit_, keys);
    auto rows = loader_.try_load(keys, context);
    if (!rows) {
      counters_.add(&GuardCounters::filter_absents, keys.size());
      return std::vector<std::optional<Value>>(keys.size());
    }
    std::vector<std::size_t> denied;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if ((*rows)[i]) denied.push_back(i);
    }
    counters_.add(&GuardCounters::audits, keys.size());
    counters_.add(&GuardCounters::found, denied.size());
    counters_.add(&GuardCounters::filter_absents, keys.size() - denied.size());
    inquiry.found(denied, context);
    return std::move(*rows);
  }

  void announce(std::span<const Key> keys, const Identity& insert, const CallContext& context) {
    try {
      cache_.announce_many(keys, insert, context);
    } catch (...) {
      cache_.withdraw_many(keys, insert, context);
      throw;
    }
  }

  // Called after the commit. Rows that were read before it, or are being read, are out of date.
  void inserted(const std::vector<std::string>& keys, const Identity& insert, PendingInserts::Id id,
                const CallContext* context) {
    const std::vector<Key> views(keys.begin(), keys.end());
    eraser_.erase(views, &insert, context);
    pending_.remove(id);
  }

  CounterBoard counters_;
  std::unique_ptr<FencedPlace> fenced_;  // where rows are not announced
  FailOpenFilter filter_;
  Lookaside<Value>* const lookaside_;
  RowFlights<Value> flights_;
  FailOpenCache<Value> cache_;
  LimitedLoader<Value> loader_;
  PendingInserts pending_;
  FilterAudit audit_;
  RowFetcher<Value> rows_;
  RowEraser<Value> eraser_;
};

}  // namespace bloomery
