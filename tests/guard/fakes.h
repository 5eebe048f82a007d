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
  void presence_of_many(std::span<const Key> keys, std::span<Presence> answers,
                        const CallContext&) override {
    ++batches;
    if (throws) throw std::runtime_error("filter is away");
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const std::string key(keys[i]);
      answers[i] = unknown                                             ? Presence::unknown
                   : members_.contains(key) || mistakes_.contains(key) ? Presence::maybe
                                                                       : Presence::absent;
    }
  }
  using FilterPlace::insert_many;
  void insert_many(std::span<const Key> keys, std::span<Inserted>, const CallContext&) override {
    ++insert_batches;
    if (throws) throw std::runtime_error("filter is away");
    const std::lock_guard lock(mutex_);
    for (const Key key : keys) members_.emplace(key);
  }
  void mistake(Key key) {
    const std::lock_guard lock(mutex_);
    mistakes_.emplace(key);
  }

  std::atomic<bool> throws = false;
  std::atomic<bool> unknown = false;
  std::atomic<int> batches = 0;
  std::atomic<int> insert_batches = 0;

 private:
  std::mutex mutex_;
  std::set<std::string> members_;
  std::set<std::string> mistakes_;  // false positives
};

// A memory cache that can fail, and that lets a test act between its steps.
class FakeCache final : public Cache<std::string> {
 public:
  using Answers = std::span<CacheAnswer<std::string>>;

  void get_many(std::span<const Key> keys, Answers answers) override {
    ++batches;
    if (throws) throw std::runtime_error("cache is away");
    cache_.get_many(keys, answers);
    run(after_get);
  }
  void put(Key key, const std::string& value, std::chrono::milliseconds ttl) override {
    if (throws || writes_throw) throw std::runtime_error("cache is away");
    run(before_write);
    last_ttl = ttl;
    ++writes;
    cache_.put(key, value, ttl);
  }
  void put_negative(Key key, std::chrono::milliseconds ttl) override {
    if (throws || writes_throw) throw std::runtime_error("cache is away");
    run(before_write);
    last_ttl = ttl;
    ++writes;
    cache_.put_negative(key, ttl);
  }
  void erase(Key key) override {
    if (throws) throw std::runtime_error("cache is away");
    cache_.erase(key);
  }

  CacheAnswer<std::string> peek(Key key) {
    CacheAnswer<std::string> answer;
    cache_.get_many({&key, 1}, {&answer, 1});
    return answer;
  }
  Cached state_of(Key key) { return peek(key).state; }

  std::atomic<bool> throws = false;
  std::atomic<bool> writes_throw = false;
  std::atomic<int> batches = 0;
  std::atomic<int> writes = 0;
  std::atomic<std::chrono::milliseconds> last_ttl{};
  std::function<void()> after_get;
  std::function<void()> before_write;

 private:
  MemoryCache<std::string> cache_{{.capacity = 100'000}};
};

class FakeDatabase {
 public:
  // The loader of a guard.
  std::vector<std::optional<std::string>> load(std::span<const Key> keys) {
    std::vector<std::optional<std::string>> rows;
    {
      const std::lock_guard lock(mutex_);
      ++queries_;
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
    return [this](std::span<const Key> keys) { return load(keys); };
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

  // Runs when the rows are read but not yet delivered, outside of any lock.
  std::function<void()> after_read;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::string> rows_;
  std::map<std::string, int> asked_;
  int queries_ = 0;
};

// All of them around a guard, with the row alice = "1" in place.
struct World {
  explicit World(const GuardOptions& options = {.jitter_seed = 1})
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
