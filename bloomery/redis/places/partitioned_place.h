// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bloomery/redis/client/client.h"
#include "bloomery/redis/places/native_bitmap.h"
#include "bloomery/redis/places/native_place.h"
#include "bloomery/redis/places/own_string.h"
#include "bloomery/redis/places/server_place.h"

namespace bloomery::redis {

// A blocked filter of our own in several strings of a server or cluster. Each is an OwnString with
// a head, an identity and a watermark, and all that makes a filter in one string unknown makes
// unknown what is asked of that part. All parts that a batch has to do with are asked in one trip a
// node, to all nodes at the same time.
//
// A line that was read has a clear bit: the key is absent, whatever became of other parts. That
// needs no more than that this part has all keys' bits that are its own, and that the index is
// still there: without it anybody may put another filter there, of other partitions. So a question
// asks for the index too, and an insert for the index afterwards.
class PartitionsDialect final : public ServerDialect {
 public:
  // `index`: what was at the location's key, with a part that is none.
  // `settings`: of the location.
  PartitionsDialect(std::shared_ptr<Client> client, std::string name, const NativeBitmapHead& index,
                    const NativeSettings& settings, bool writes);

  // A node that fails makes its parts unknown, and what was the index's says nothing; throws where
  // all nodes of parts fail.
  std::size_t ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
                  const CallContext& context) override;
  std::size_t insert(InsertCall call, std::span<const Key> keys, std::span<Inserted> outcomes,
                     const CallContext& context) override;
  // The watermark is the lowest of all parts; the beat, the sum of theirs. There is none where a
  // node does not answer.
  PlaceHead head(const CallContext& context) override;
  std::optional<AnyFilter> copy(const CallContext& context) override;
  // Each part has its bits and its watermark in one transaction. False: some of them may have gone
  // on, of which the others' keys are no matter.
  bool step(std::span<const Key> keys, PlaceHead& head, const Watermark& next,
            const CallContext& context) override;
  void destroy() override;

 private:
  static constexpr std::size_t kKeysInBatch = 10'000;

  // The keys and bits of a batch that concern one partition.
  struct Share {
    std::uint32_t part = 0;
    KeyBits bits{};                   // within the part
    std::vector<std::size_t> keys{};  // whose they are, by number in the batch
  };
  using Group = std::vector<std::size_t>;  // of shares whose parts are at one node

  std::uint32_t part_count() const noexcept { return index_.header.part->count; }
  FilePart part_number(std::uint32_t index) const noexcept;
  std::vector<Share> shares_of(std::span<const Key> keys) const;
  std::vector<Share> all_parts() const;
  std::vector<Share> all_parts_and_index() const;
  // Throws where another index is there, or none.
  void require_index(const CallContext& context) { index_place().need_head(context); }
  OwnString& index_place() { return *parts_.back(); }
  std::vector<Group> groups_of(const std::vector<Share>& shares, const CallContext& context);
  // work(group) for all nodes at the same time. What each threw.
  std::vector<std::exception_ptr> at_nodes(const std::vector<Group>& groups,
                                           const std::function<void(const Group&)>& work);
  static void rethrow_first(const std::vector<std::exception_ptr>& errors);
  // All of a node: visit(share, its part, what was asked and came).
  using Visit =
      std::function<void(std::size_t share, OwnString& part, const OwnString::Trip& trip)>;
  void travel(const std::vector<Share>& shares, const Group& group, const CallContext& context,
              const Visit& visit);
  // Inserts the shares of a node's parts, one trip for all of them while they fit, and tells of
  // each key. With `next` each part also moves its watermark, and `has_moved` tells which did.
  struct Inserting;
  void insert_at(Inserting& all, const Group& group, const CallContext& context);
  struct Progress;
  // Many lines of one part travel by themselves, and are there when this returns.
  Progress begin(Inserting& all, std::size_t share, const CallContext& context);
  // The next trip, and whose keys it has: of all that are not done, as many as fit.
  std::vector<Progress*> append(Request& request, Inserting& all, std::vector<Progress>& progress);
  // Sends it, and reads what comes. True: it was repeated.
  bool travel(const Request& request, Inserting& all, const std::vector<Progress*>& travelling,
              const CallContext& context);
  // Throws unless the keys of the trip are in their part.
  void settle(Inserting& all, Progress& each, bool was_repeated, const CallContext& context);
  // All shares, at their nodes. Throws where one failed, and unless the index is there afterwards.
  void insert_shares(Inserting& all, const CallContext& context);
  // Reads the heads of all partitions and of the index. Returns what went wrong at each node, null
  // for nothing.
  std::vector<std::exception_ptr> read_heads(const CallContext& context);
  // Makes one head of those that the partitions had last. False: one of them is not known, or is
  // another filter's.
  bool combine(PlaceHead& head) const;

  const std::shared_ptr<Client> client_;
  const std::string key_;
  const bool writes_;
  const NativeBitmapHead index_;
  const Positions positions_;
  const Hashes hashes_;                              // where steps are kept beside the parts
  std::vector<std::unique_ptr<OwnString>> parts_{};  // and behind the last of them the index
};

// The head of a part of the filter with that index, as a new filter has it.
NativeBitmapHead head_of_part(NativeBitmapHead index, std::uint32_t part);

// The keys of all parts go, after the index. Returns whether anything was there.
bool destroy_partitions(Client& client, const std::string& key, std::uint32_t count);

}  // namespace bloomery::redis
