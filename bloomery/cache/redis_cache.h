// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/cache/shared_strings.h"

namespace bloomery {

// How values are bytes in a server. All calls may run together.
template <CacheValue Value>
struct ValueBytes {
  // Throws where the value is none for other readers of the cache, as one that is null as JSON:
  // the guard's clients in other languages erase such an entry and load the row again.
  std::function<std::string(const Value& value)> encode;
  // Nothing where they are no value, such as one of an older program: then it is not in the cache.
  std::function<std::optional<Value>(std::string_view bytes)> decode;
};

// Returns those of texts that are stored as they are.
inline ValueBytes<std::string> bytes_as_they_are() {
  return {.encode = [](const std::string& value) { return value; },
          .decode = [](std::string_view bytes) { return std::optional<std::string>(bytes); }};
}

// A cache on a server that processes of all languages share (cache/shared_strings.h says how): one
// of them loads a row at a time, and no negative entry outlives an insert or erase by any of them.
// All calls may run together.
template <CacheValue Value = std::string>
class RedisCache final : public Cache<Value> {
 public:
  // "redis://...#users", as in docs/redis.md; processes that share it name the same. Connects to
  // nobody yet. Throws std::invalid_argument, and StoreError for certificates that are none.
  RedisCache(std::string_view location, ValueBytes<Value> bytes, GuardVerbsOptions options = {})
      : strings_(location, std::move(options)), bytes_(std::move(bytes)) {}
  explicit RedisCache(std::string_view location,
                      GuardVerbsOptions options = {}) requires std::same_as<Value, std::string>
      : RedisCache(location, bytes_as_they_are(), std::move(options)) {}

  // Answers as Cache::get_many() says.
  void get_many(std::span<const Key> keys, std::span<CacheAnswer<Value>> answers,
                const CallContext& context = {}) override {
    ask(keys, answers, context, &SharedStrings::get_many);
  }
  // Returns true: of all processes one loads a row.
  bool grants_leases() const noexcept override { return true; }
  // Asks by the script or the module's commands, which take leases.
  void claim_many(std::span<const Key> keys, std::span<CacheAnswer<Value>> answers,
                  const CallContext& context = {}) override {
    ask(keys, answers, context, &SharedStrings::claim_many);
  }

  // Asks as SharedStrings::Ahead does, and decodes the answers.
  class Ahead {
   public:
    // The cache and the keys outlive it.
    Ahead(RedisCache& cache, std::span<const Key> keys)
        : cache_(cache), strings_(cache.strings_, keys) {}

    // False where it did not travel or was not answered.
    bool take(std::span<CacheAnswer<Value>> answers) {
      std::vector<CacheAnswer<std::string>> found(answers.size());
      if (!strings_.take(found)) return false;
      // An entry that cannot be decoded is a miss.
      cache_.decode(found, answers);
      return true;
    }

   private:
    RedisCache& cache_;
    SharedStrings::Ahead strings_;
  };

  // The location of the constructor.
  const redis::Location& location() const noexcept { return strings_.location(); }

  // Throws what encoding throws, once it has written the other entries and given that lease back.
  void put_many(std::span<const CacheEntry<Value>> entries,
                const CallContext& context = {}) override {
    std::vector<std::string> values;
    std::vector<CacheEntry<std::string>> written;
    std::vector<CacheEntry<std::string>> dropped;
    std::exception_ptr error;
    values.reserve(entries.size());  // they stay where they are
    written.reserve(entries.size());
    for (const CacheEntry<Value>& each : entries) {
      try {
        if (each.value != nullptr) values.push_back(bytes_.encode(*each.value));
      } catch (...) {
        error = std::current_exception();
        if (!each.lease.empty()) dropped.push_back({.key = each.key, .lease = each.lease});
        continue;
      }
      written.push_back({.key = each.key,
                         .value = each.value != nullptr ? &values.back() : nullptr,
                         .ttl = each.ttl,
                         .ticket = each.ticket,
                         .lease = each.lease,
                         .refresh_after = each.refresh_after});
    }
    if (!dropped.empty()) strings_.drop_many(dropped, context);
    strings_.put_many(written, context);
    if (error) std::rethrow_exception(error);
  }

  // Gives leases back, for others to load at once.
  void drop_many(std::span<const CacheEntry<Value>> entries,
                 const CallContext& context = {}) override {
    std::vector<CacheEntry<std::string>> dropped;
    for (const auto& each : entries) dropped.push_back({.key = each.key, .lease = each.lease});
    strings_.drop_many(dropped, context);
  }

  // Marks the keys for GuardVerbsOptions::mark_life, in all processes.
  bool announce_many(std::span<const Key> keys, const Identity& insert,
                     const CallContext& context = {}) override {
    return strings_.announce_many(keys, insert, context);
  }
  // Erases, and takes this insert's marks away, and no other's.
  void end_insert_many(std::span<const Key> keys, const Identity& insert,
                       const CallContext& context = {}) override {
    strings_.end_insert_many(keys, insert, context);
  }

  // Erases the keys, in all processes, and ends their leases.
  void erase_many(std::span<const Key> keys, const CallContext& context = {}) override {
    strings_.erase_many(keys, context);
  }

 private:
  using Places = std::vector<std::size_t>;

  // Returns those whose bytes are no value.
  Places decode(std::span<CacheAnswer<std::string>> found,
                std::span<CacheAnswer<Value>> answers) const {
    Places unreadable;
    for (std::size_t i = 0; i < found.size(); ++i) {
      answers[i] = {.state = found[i].state, .lease = std::move(found[i].lease)};
      if (!found[i].value) continue;
      answers[i].value = bytes_.decode(*found[i].value);
      if (answers[i].value) continue;
      answers[i] = {.state = Cached::miss};
      unreadable.push_back(i);
    }
    return unreadable;
  }

  // Erases what cannot be decoded, and asks for it once more.
  void ask(std::span<const Key> keys, std::span<CacheAnswer<Value>> answers,
           const CallContext& context,
           void (SharedStrings::*asks)(std::span<const Key>, std::span<CacheAnswer<std::string>>,
                                       const CallContext&)) {
    std::vector<CacheAnswer<std::string>> found(keys.size());
    (strings_.*asks)(keys, found, context);
    const Places unreadable = decode(found, answers);
    if (context.fence != nullptr) {  // where there are no leases
      for (const std::size_t i : unreadable) answers[i] = {.state = Cached::unknown};
    }
    if (unreadable.empty() || context.fence != nullptr) return;
    std::vector<Key> again;
    for (const std::size_t i : unreadable) again.push_back(keys[i]);
    strings_.erase_many(again, context);
    std::vector<CacheAnswer<std::string>> replies(again.size());
    strings_.claim_many(again, replies, context);
    std::vector<CacheAnswer<Value>> decoded(again.size());
    const Places still = decode(replies, decoded);
    for (const std::size_t i : still) decoded[i] = {.state = Cached::unknown};
    for (std::size_t i = 0; i < again.size(); ++i) answers[unreadable[i]] = std::move(decoded[i]);
  }

  SharedStrings strings_;
  const ValueBytes<Value> bytes_;
};

}  // namespace bloomery
