// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/cache/guard_verbs_options.h"
#include "bloomery/guard/cache.h"
#include "bloomery/place/call_context.h"
#include "bloomery/redis/client/location.h"

namespace bloomery {

namespace redis {
class Rider;
struct Reply;
}  // namespace redis

// A cache of bytes in a Redis or Valkey server, or a cluster, that processes of all languages
// share, by the protocol of docs/guard_protocol.md. The guard's name there is the location's key.
//
// A look at entries is one trip: an MGET of entry and lease, in one transaction with the server's
// ROLE, as only a primary is believed. An entry that is not there takes a second trip, for its
// lease. In a cluster each is one trip a node. Many threads may use it; single keys that they ask
// for at the same moment are one batch, but in a cluster.
//
// Behind a fence (context.fence) it knows values alone, and grants no leases. A fence that names no
// source is refused.
class SharedStrings final : public Cache<std::string> {
 private:
  struct Question;

 public:
  // "redis://...#users", as in docs/redis.md. With ?was=NAME this is a cache of writers, while
  // processes of versions that kept shards still use NAME: what is erased is erased there too, and
  // nothing is read or written. Connects to nobody yet. Throws std::invalid_argument, and
  // StoreError for certificates that are none.
  explicit SharedStrings(std::string_view location, GuardVerbsOptions options = {});
  ~SharedStrings() override;

  void get_many(std::span<const Key> keys, std::span<CacheAnswer<std::string>> answers,
                const CallContext& context = {}) override;
  bool grants_leases() const noexcept override { return true; }
  void claim_many(std::span<const Key> keys, std::span<CacheAnswer<std::string>> answers,
                  const CallContext& context = {}) override;
  // An entry without ticket and lease, whatever happened meanwhile, is written unless its row is
  // announced, or somebody begins to load it right now.
  void put_many(std::span<const CacheEntry<std::string>> entries,
                const CallContext& context = {}) override;
  void drop_many(std::span<const CacheEntry<std::string>> entries,
                 const CallContext& context = {}) override;
  bool announce_many(std::span<const Key> keys, const Identity& insert,
                     const CallContext& context = {}) override;
  void end_insert_many(std::span<const Key> keys, const Identity& insert,
                       const CallContext& context = {}) override;
  void erase_many(std::span<const Key> keys, const CallContext& context = {}) override;

  // A question that is on its way, so that what this thread asks of the same server next takes it
  // along. The cache and the keys outlive it; see redis::Rider.
  class Ahead {
   public:
    // Does nothing in a cluster, and with more keys than one trip takes.
    Ahead(SharedStrings& cache, std::span<const Key> keys);
    Ahead(const Ahead&) = delete;
    Ahead& operator=(const Ahead&) = delete;
    ~Ahead();
    // False where it did not travel or was not answered: nobody knows anything then. As get_many()
    // otherwise, at the moment of that trip; but what is missing has no lease yet: claim_many()
    // comes next.
    bool take(std::span<CacheAnswer<std::string>> answers);

   private:
    SharedStrings& cache_;
    std::unique_ptr<Question> question_;
    std::unique_ptr<redis::Rider> rider_;
  };

  const redis::Location& location() const noexcept;
  // Returns the name of a key's entry.
  std::string entry_name(Key key) const;

 private:
  // Keys of one trip, by their place in the batch.
  using Part = std::vector<std::size_t>;
  using Answers = std::span<CacheAnswer<std::string>>;

  SharedStrings(redis::Location location, GuardVerbsOptions options);

  // Throws std::invalid_argument if the context has a fence that names no source.
  void require_fence(const CallContext& context) const {
    if (context.has_nameless_fence()) [[unlikely]]
      refuse_nameless_fence(location().text());
  }

  std::unique_ptr<Question> question(std::span<const Key> keys, Part part) const;
  void judge(Question& question, std::span<const redis::Reply> replies) const;
  Part read(const Question& question, Answers answers);
  void look_many(std::span<const Key> keys, Answers answers, const CallContext& context);
  void put_anyway(std::span<const CacheEntry<std::string>> entries, const CallContext& context);

  // The server: the way to it, and questions that wait for a trip to it.
  struct Server;
  const std::unique_ptr<Server> server_;
};

}  // namespace bloomery
