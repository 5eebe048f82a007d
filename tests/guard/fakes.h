// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/guard/cache_guard.h"
#include "bloomery/guard/memory_cache.h"

// The outside world of a guard, played: a filter, a cache and a database that do what a test says
// and remember what they were asked. Hooks are set before threads start.
namespace bloomery {

// Runs a copy of the hook, so that a hook may take itself out.
inline void run(std::function<void()> hook) {
  if (hook) hook();
}

// Exact but for the keys it is told to mistake.
class FakeFilter final : public FilterPlace {
 public:
  std::string name() const override { return "a played filter"; }
  PlaceHead head(const CallContext&) override { return {}; }
  void ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
           const CallContext& context) override {
    batches += keys.empty() ? 0 : 1;
    last_user = context.user;
    proofs.add({.filter = 1});
    if (throws) throw std::runtime_error("filter is away");
    const Presence no =
        context.fence != nullptr && !reaches_fences ? Presence::unknown : Presence::absent;
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const std::string key(keys[i]);
      answers[i] = unknown                                             ? Presence::unknown
                   : members_.contains(key) || mistakes_.contains(key) ? Presence::maybe
                                                                       : no;
    }
  }
  using FilterPlace::insert_many;
  void insert_many(std::span<const Key> keys, std::span<Inserted>, const CallContext&) override {
    ++insert_batches;
    if (throws) throw std::runtime_error("filter is away");
    {
      const std::lock_guard lock(mutex_);
      for (const Key key : keys) members_.emplace(key);
    }
    run(after_insert);
  }
  void mistake(Key key) {
    const std::lock_guard lock(mutex_);
    mistakes_.emplace(key);
  }
  // Takes a key away, as no filter may do.
  void lose(Key key) {
    const std::lock_guard lock(mutex_);
    members_.erase(std::string(key));
  }

  std::atomic<bool> throws = false;
  std::atomic<bool> unknown = false;
  std::atomic<bool> reaches_fences = true;
  std::atomic<int> batches = 0;
  std::atomic<int> insert_batches = 0;
  std::atomic<void*> last_user = nullptr;
  std::function<void()> after_insert;

 private:
  std::mutex mutex_;
  std::set<std::string> members_;
  std::set<std::string> mistakes_;  // false positives
};

// A memory cache that can fail, and that lets a test act between its steps.
class FakeCache final : public Cache<std::string> {
 public:
  using Answers = std::span<CacheAnswer<std::string>>;
  using Entries = std::span<const CacheEntry<std::string>>;

  void get_many(std::span<const Key> keys, Answers answers, const CallContext& context) override {
    ++batches;
    last_user = context.user;
    if (throws) throw std::runtime_error("cache is away");
    cache_.get_many(keys, answers);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (away.contains(std::string(keys[i]))) answers[i] = {.state = Cached::unknown};
    }
    run(after_get);
  }
  void put_many(Entries entries, const CallContext&) override {
    ++put_batches;
    if (throws || writes_throw) throw std::runtime_error("cache is away");
    run(before_write);
    for (const CacheEntry<std::string>& entry : entries) last_ttl = entry.ttl;
    writes += static_cast<int>(entries.size());
    cache_.put_many(entries);
  }
  void erase_many(std::span<const Key> keys, const CallContext&) override {
    ++erase_batches;
    if (throws || erases_throw) throw std::runtime_error("cache is away");
    run(before_erase);
    cache_.erase_many(keys);
    if (loses_replies) throw std::runtime_error("no reply");
  }

  CacheAnswer<std::string> peek(Key key) {
    CacheAnswer<std::string> answer;
    cache_.get_many({&key, 1}, {&answer, 1});
    return answer;
  }
  Cached state_of(Key key) { return peek(key).state; }
  // Erases a key as another process does.
  void erase_elsewhere(Key key) { cache_.erase(key); }

  std::atomic<bool> throws = false;
  std::atomic<bool> writes_throw = false;
  std::atomic<bool> erases_throw = false;
  std::atomic<bool> loses_replies = false;  // of erasing, which it has done
  std::set<std::string> away;               // keys of a shard that cannot be asked
  std::atomic<int> batches = 0;
  std::atomic<int> put_batches = 0;
  std::atomic<int> erase_batches = 0;
  std::atomic<int> writes = 0;
  std::atomic<void*> last_user = nullptr;
  std::atomic<std::chrono::milliseconds> last_ttl{};
  std::function<void()> after_get;
  std::function<void()> before_write;
  std::function<void()> before_erase;

 private:
  MemoryCache<std::string> cache_{{.capacity = 100'000}};
};

class FakeDatabase {
 public:
  // The loader of a guard.
  std::vector<std::optional<std::string>> load(std::span<const Key> keys,
                                               const CallContext& context = {}) {
    run(before_read);
    std::vector<std::optional<std::string>> rows;
    {
      const std::lock_guard lock(mutex_);
      ++queries_;
      last_user = context.user;
      for (const Key key : keys) {
        ++asked_[std::string(key)];
        const auto row = rows_.find(std::string(key));
        rows.push_back(row == rows_.end() ? std::nullopt : std::optional(row->second));
      }
    }
    run(after_read);
    return rows;
  }
  Loader<std::string> loader() {
    return [this](std::span<const Key> keys, const CallContext& context) {
      return load(keys, context);
    };
  }

  void write(Key key, Key value) {
    const std::lock_guard lock(mutex_);
    rows_.insert_or_assign(std::string(key), std::string(value));
  }
  void remove(Key key) {
    const std::lock_guard lock(mutex_);
    rows_.erase(std::string(key));
  }

  int queries() const {
    const std::lock_guard lock(mutex_);
    return queries_;
  }
  int queries_for(Key key) const {
    const std::lock_guard lock(mutex_);
    const auto asked = asked_.find(std::string(key));
    return asked == asked_.end() ? 0 : asked->second;
  }

  // Run before the rows are read, and when they are read but not yet delivered, outside of any
  // lock.
  std::function<void()> before_read;
  std::function<void()> after_read;
  std::atomic<void*> last_user = nullptr;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::string> rows_;
  std::map<std::string, int> asked_;
  int queries_ = 0;
};

// All of them around a guard, with the row alice = "1" in place. Nothing is audited unless a test
// says so.
struct World {
  explicit World(const GuardOptions& options = {.audit_every = 0, .jitter_seed = 1})
      : guard(filter, cache, database.loader(), options) {
    add("alice", "1");
  }

  void add(Key key, Key value) {
    filter.insert(key);
    database.write(key, value);
  }

  FakeFilter filter;
  FakeCache cache;
  FakeDatabase database;
  CacheGuard<std::string> guard;
};

}  // namespace bloomery
