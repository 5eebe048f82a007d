// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
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
  std::function<std::string(const Value& value)> encode;
  // Nothing where they are no value, such as one of an older program: then it is not in the cache.
  std::function<std::optional<Value>(std::string_view bytes)> decode;
};

// A cache on a server that several processes share (cache/shared_strings.h says how): no negative
// entry outlives an erase by any of them. All calls may run together.
template <CacheValue Value = std::string>
class RedisCache final : public Cache<Value> {
 public:
  // "redis://...#users", as in docs/redis.md; processes that share it name the same. Connects to
  // nobody yet. Throws std::invalid_argument, and StoreError for certificates that are none.
  RedisCache(std::string_view location, ValueBytes<Value> bytes)
      : strings_(location), bytes_(std::move(bytes)) {}
  explicit RedisCache(std::string_view location) requires std::same_as<Value, std::string>
      : RedisCache(location,
                   {.encode = [](const std::string& value) { return value; },
                    .decode =
                        [](std::string_view bytes) { return std::optional<std::string>(bytes); }}) {
  }

  void get_many(std::span<const Key> keys, std::span<CacheAnswer<Value>> answers,
                const CallContext& context = {}) override {
    std::vector<CacheAnswer<std::string>> found(keys.size());
    strings_.get_many(keys, found, context);
    decode(found, answers);
  }

  // Asks as SharedStrings::Ahead does, and decodes the answers.
  class Ahead {
   public:
    Ahead(RedisCache& cache, std::span<const Key> keys)
        : cache_(cache), strings_(cache.strings_, keys) {}

    bool take(std::span<CacheAnswer<Value>> answers) {
      std::vector<CacheAnswer<std::string>> found(answers.size());
      if (!strings_.take(found)) return false;
      cache_.decode(found, answers);
      return true;
    }

   private:
    RedisCache& cache_;
    SharedStrings::Ahead strings_;
  };

  const redis::Location& location() const noexcept { return strings_.location(); }

  void put_many(std::span<const CacheEntry<Value>> entries,
                const CallContext& context = {}) override {
    std::vector<std::string> values;
    std::vector<CacheEntry<std::string>> written;
    values.reserve(entries.size());  // they stay where they are
    written.reserve(entries.size());
    for (const CacheEntry<Value>& each : entries) {
      if (each.value != nullptr) values.push_back(bytes_.encode(*each.value));
      written.push_back({.key = each.key,
                         .value = each.value != nullptr ? &values.back() : nullptr,
                         .ttl = each.ttl,
                         .ticket = each.ticket});
    }
    strings_.put_many(written, context);
  }

  void erase_many(std::span<const Key> keys, const CallContext& context = {}) override {
    strings_.erase_many(keys, context);
  }

 private:
  void decode(std::span<const CacheAnswer<std::string>> found,
              std::span<CacheAnswer<Value>> answers) const {
    for (std::size_t i = 0; i < found.size(); ++i) {
      answers[i] = {.state = found[i].state, .ticket = found[i].ticket};
      if (!found[i].value) continue;
      answers[i].value = bytes_.decode(*found[i].value);
      if (!answers[i].value) answers[i].state = Cached::miss;
    }
  }

  SharedStrings strings_;
  const ValueBytes<Value> bytes_;
};

}  // namespace bloomery
