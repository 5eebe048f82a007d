#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

#include "bloomery/hash/key.h"

namespace bloomery {

// What a cache knows of a key: nothing; that the database has no such row; or the row's value.
enum class Cached : std::uint8_t { miss, negative, hit };

template <class Value>
struct CacheAnswer {
  Cached state = Cached::miss;
  std::optional<Value> value;  // there when it is a hit
};

// A cache as the guard sees it, in the process or on a server. A negative entry is its own kind of
// entry, never a special value. All calls may run together; any may throw.
template <class Value>
class Cache {
 public:
  virtual ~Cache() = default;

  // answers[i] is about keys[i]; both are of one length, and the answers come in as misses.
  virtual void get_many(std::span<const Key> keys, std::span<CacheAnswer<Value>> answers) = 0;

  // Replaces whatever was there.
  virtual void put(Key key, const Value& value, std::chrono::milliseconds ttl) = 0;

  // Writes "not there", but only where nothing is: a value that came meanwhile is newer.
  virtual void put_negative(Key key, std::chrono::milliseconds ttl) = 0;

  // Removes the value or the negative entry; no harm where there is none.
  virtual void erase(Key key) = 0;
};

}  // namespace bloomery
