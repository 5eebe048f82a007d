// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/guard/cache.h"
#include "bloomery/place/gathering.h"
#include "bloomery/redis/client/client.h"
#include "bloomery/redis/client/errors.h"
#include "bloomery/redis/client/rider.h"

namespace bloomery {

// A cache of bytes in a Redis or Valkey server, or a cluster, that several processes share. For a
// location whose key is `users`, and a key k that falls into shard 17 of 1,024:
//
//   users:{17}:generation   sixteen hexadecimal digits, of nobody's choice, new after each erase
//   users:{17}:=k           'V' and the value, or 'N' and the generation it was written in
//
// An answer's ticket is the generation that was read with it. An entry is only written where the
// generation still is its ticket, by a script, and a negative one only counts in its generation: so
// nobody writes what he learnt before an erase after it, in whatever process, and a generation that
// was lost comes back as another.
//
// A batch is one MGET, in one transaction with the server's ROLE: only a primary is believed.
// Writing is one pipeline, erasing one transaction. In a cluster each of them is one trip a shard.
// Many threads may use it; single keys that they ask for at the same moment are one batch, but in a
// cluster.
class SharedStrings final : public Cache<std::string> {
 private:
  class Shards;
  struct Question;

 public:
  // "redis://...#users", as in docs/redis.md. Connects to nobody yet. Throws std::invalid_argument,
  // and StoreError for certificates that are none.
  explicit SharedStrings(std::string_view location);

  void get_many(std::span<const Key> keys, std::span<CacheAnswer<std::string>> answers,
                const CallContext& context = {}) override;
  void put_many(std::span<const CacheEntry<std::string>> entries,
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
    // otherwise, at the moment of that trip; what would take another one stays unknown.
    bool take(std::span<CacheAnswer<std::string>> answers);

   private:
    SharedStrings& cache_;
    std::unique_ptr<Question> question_;
    std::optional<redis::Rider> rider_;
  };

  const redis::Location& location() const noexcept { return client_.location(); }

  // Where a key's entry and generation are.
  std::string entry_name(Key key) const;
  std::string generation_name(Key key) const;

 private:
  // Keys of one trip, by their place in the batch.
  using Part = std::vector<std::size_t>;
  using Answers = std::span<CacheAnswer<std::string>>;

  std::string generation_of_shard(std::uint64_t shard) const;
  std::vector<Part> split(std::span<const Key> keys) const;
  std::unique_ptr<Question> question(std::span<const Key> keys, Part part) const;
  void judge(Question& question, std::span<const redis::Reply> replies) const;
  // Returns those whose shards have no generation yet, which are as misses without a ticket.
  Part read(const Question& question, Answers answers);
  void begin_generations(std::span<const Key> keys, const Part& part, Answers answers,
                         const CallContext& context);
  void put(std::span<const CacheEntry<std::string>> entries, const Part& part,
           const CallContext& context);
  void erase(std::span<const Key> keys, const Part& part, const CallContext& context);
  void get_batch(std::span<const Key> keys, Answers answers, const CallContext& context);

  redis::Client client_;
  Gathering<CacheAnswer<std::string>, redis::TimeoutError> gathering_;
};

}  // namespace bloomery
