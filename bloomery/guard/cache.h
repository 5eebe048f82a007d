// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bloomery/hash/key.h"
#include "bloomery/place/call_context.h"
#include "bloomery/place/watermark.h"

namespace bloomery {

// A type that may be cached: threads that ask for one row get a copy each.
template <class Value>
concept CacheValue = std::copyable<Value>;

// The answer of a cache about a key: nothing; that the database has no such row; the row's value;
// nothing because the cache could not be asked, or takes nothing for this key now; or nothing yet,
// because another process loads the row (of a cache that grants leases).
enum class Cached : std::uint8_t { miss, negative, hit, unknown, awaited };

template <CacheValue Value>
struct CacheAnswer {
  Cached state = Cached::miss;
  std::optional<Value> value{};  // there when it is a hit
  // Stands for the state that was read. What is written with it later is refused if the key was
  // erased meanwhile.
  std::uint64_t ticket = 0;
  // The right to load the row, of a cache that grants leases. With a miss nobody else has it; with
  // a hit the row is to be loaded anew. It ends with put_many() or drop_many().
  std::string lease{};
};

// An entry to be written for a key: a value, or that there is no such row.
template <CacheValue Value>
struct CacheEntry {
  Key key;
  const Value* value = nullptr;  // the caller's; null is a negative entry
  std::chrono::milliseconds ttl{};
  std::optional<std::uint64_t> ticket{};      // none: whatever happened meanwhile
  std::string_view lease{};                   // where the cache granted one
  std::chrono::milliseconds refresh_after{};  // then one reader loads it anew; 0: nobody does
};

// Forgets entries, whatever they hold, for callers that learn that rows came or changed. A Follower
// calls it before it moves the watermark above these rows: then a caller who sees the watermark
// finds no entry from before them, and nothing that was read before is written any more.
class EntryEraser {
 public:
  virtual ~EntryEraser() = default;

  // Removes values and negative entries; no harm where there is none. When it returns, what was
  // learnt of these keys before is refused (CacheEntry::ticket). Throws where that is not sure.
  virtual void erase_many(std::span<const Key> keys, const CallContext& context = {}) = 0;
};

// A cache as the guard sees it, in the process or on a server. A negative entry is its own kind of
// entry, never a special value. All calls may run together; any may throw, and gives up with
// CallAborted when its context is over.
template <CacheValue Value>
class Cache : public EntryEraser {
 public:
  // answers[i] is about keys[i]; both are of one length, and the answers come in as misses.
  virtual void get_many(std::span<const Key> keys, std::span<CacheAnswer<Value>> answers,
                        const CallContext& context = {}) = 0;

  // Returns whether a miss is a lease (CacheAnswer::lease): of all processes that share the cache
  // one has it, until it is written or dropped, the key is erased or announced, or its time is
  // over.
  virtual bool grants_leases() const noexcept { return false; }
  // Asks as get_many() does, for keys of which nothing was found, or that were awaited, just now.
  virtual void claim_many(std::span<const Key> keys, std::span<CacheAnswer<Value>> answers,
                          const CallContext& context = {}) {
    get_many(keys, answers, context);
  }

  // A value replaces whatever was there. A negative entry is written only where nothing is: a value
  // that came meanwhile is newer. An entry whose key was erased since its ticket was given is left
  // out. A cache that cannot tell may write it all the same; then a process that shares the cache
  // can bring back what another one erased.
  virtual void put_many(std::span<const CacheEntry<Value>> entries,
                        const CallContext& context = {}) = 0;

  // Gives leases back that nothing is written under. Of the entries only key and lease.
  virtual void drop_many(std::span<const CacheEntry<Value>>, const CallContext& = {}) {}

  // Announces rows before they become visible. When it returns no negative entry of theirs is
  // there, and none is written, by whichever process, until end_insert_many() of this insert, or
  // until its mark's time is over. A second call for the same insert lets the mark's time begin
  // anew. Returns whether all marks of the insert held until now. A cache of one process leaves
  // that to its guard.
  virtual bool announce_many(std::span<const Key>, const Identity& /*insert*/,
                             const CallContext& = {}) {
    return true;
  }
  // Ends an insert after its commit or roll-back: erases as erase_many() does, and takes this
  // insert's marks away.
  virtual void end_insert_many(std::span<const Key> keys, const Identity& /*insert*/,
                               const CallContext& context = {}) {
    this->erase_many(keys, context);
  }

  // One key, whatever happened meanwhile.
  void put(Key key, const Value& value, std::chrono::milliseconds ttl) {
    const CacheEntry<Value> entry{.key = key, .value = &value, .ttl = ttl};
    put_many({&entry, 1});
  }
  void put_negative(Key key, std::chrono::milliseconds ttl) {
    const CacheEntry<Value> entry{.key = key, .ttl = ttl};
    put_many({&entry, 1});
  }
  void erase(Key key) { erase_many({&key, 1}); }
};

}  // namespace bloomery
