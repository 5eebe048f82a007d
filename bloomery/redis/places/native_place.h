// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/bits/fork_mutex.h"
#include "bloomery/bits/heap_words.h"
#include "bloomery/place/followed_filter.h"
#include "bloomery/redis/client/client.h"
#include "bloomery/redis/places/gathered_presence.h"
#include "bloomery/redis/places/lost_bits.h"
#include "bloomery/redis/places/native_bitmap.h"

namespace bloomery::redis {

// A filter of our own in one string of a server. A batch of up to 10,000 keys is one round trip, of
// transactions that read the head and a line of 64 bytes for each of their keys (or two; of a
// classic filter its bits). Each is judged by its own head.
//
// `unknown` is said instead of `absent` without a filter, where the head is another's, damaged or
// no longer the same, where the string is shorter than its head says, by a replica, and from the
// moment on that a bit is clear which was seen set. Behind a fence only the watermark counts: it
// proves what is in.
class NativePlace final : public FollowedFilter {
 public:
  // `key` is that of the string, which may be another than the client's location says.
  NativePlace(std::shared_ptr<Client> client, std::string key, std::string name,
              NativeBitmapHead opened, bool writes);

  std::string name() const override { return name_; }
  void ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
           const CallContext& context = {}) override;
  // Questions of several threads at the same moment are one trip.
  Presence ask_one(Key key, Proofs& proofs, const CallContext& context = {}) override {
    return gathered_.of(key, proofs, context);
  }
  using FilterPlace::insert_many;
  // Throws StoreError where no filter is there, or one whose keys have other bits.
  void insert_many(std::span<const Key> keys, std::span<Inserted> outcomes,
                   const CallContext& context = {}) override;
  // Throws StoreError where the filter is in doubt. `inserted` is what the head says: nobody counts
  // in a server.
  PlaceHead head(const CallContext& context = {}) override;
  // A megabyte a trip: what was inserted before the call is in it.
  AnyFilter copy(const CallContext& context = {}) override;
  // Each transaction has its bits and a step of the beat in it, the last one the watermark too.
  bool insert_and_advance(std::span<const Key> keys, PlaceHead& head, const Watermark& next,
                          const CallContext& context = {}) override;
  void destroy(const CallContext& context = {}) override;

  // A filter that is to be written gets the mark that its checksums are void, and an identity.
  void make_live(const CallContext& context);

 private:
  friend class PartitionedPlace;  // asks several in one trip

  using Head = std::shared_ptr<const NativeBitmapHead>;
  struct Seen;
  struct Trip;
  struct TripPiece;
  struct Part;
  struct Insertion;

  KeyBits bits_of(std::span<const Key> keys) const;
  Trip travel(KeyBits bits, const CallContext& context);
  void cut_into_pieces(Trip& trip) const;
  void append_question(Request& request, Trip& trip);
  std::span<const std::uint64_t> bits_in(const Trip& trip, const TripPiece& piece) const;
  std::size_t units_of(const Trip& trip, const TripPiece& piece) const;
  void read_question(std::span<const Reply> replies, Trip& trip);
  void read_answers(std::span<const Reply> all, Trip& trip, TripPiece& piece);
  // What every transaction begins with: role, length, head. False: the key holds no string.
  bool read_beginning(std::span<const Reply> all, bool allow_replica, Seen& seen);
  bool has_grown(const Trip& trip) const noexcept;
  void judge(Trip& trip);
  bool is_opened(const NativeBitmapHead& head) const;
  // Why keys that have bits in what was opened may have none there; empty: they have the same.
  std::string other_bits(const NativeBitmapHead& head) const;
  Presence missing(const TripPiece& piece, const CallContext& context) const;
  // Whether what was opened is not there any more.
  static bool has_lost(const Trip& trip, const CallContext& context);
  void answer(const Trip& trip, std::span<Presence> answers, Proofs& proofs,
              const CallContext& context);

  Head head_of(std::string_view bytes, std::uint64_t byte_count, std::string& doubt);
  Head opened() const;
  Head last_head() const;
  void remember(Head head);
  // Asked now. Throws where it is in doubt.
  Head need_head(const CallContext& context);
  void require_sure(const Trip& trip) const;
  // What fits into a trip, from a key on.
  std::vector<Part> split(const KeyBits& bits, std::size_t first_key, std::size_t most_bits) const;
  // What the next trip of an insert does, from a key on.
  Insertion insertion(InsertCall call, const KeyBits& bits, std::size_t first_key) const;
  Insertion insertion(InsertCall call, const KeyBits& bits, std::size_t first_key, Head old,
                      const Watermark& watermark) const;

  void append(Request& request, Insertion& insertion);
  void read(std::span<const Reply> replies, Insertion& insertion);
  void read_part(std::span<const Reply> replies, const LostBits::Known& known, Part& part);
  void insert_bits(InsertCall call, const KeyBits& bits, std::span<Inserted> outcomes,
                   const CallContext& context);
  // Throws unless the keys are in the filter that is there.
  void settle(const Insertion& insertion, const CallContext& context);
  void settle(const Part& part, const LostBits::Known& known, const CallContext& context);
  // Appends, sends, reads and settles. False: the trip was repeated.
  bool run(Insertion& insertion, const CallContext& context);
  // The same for many lines, at less cost, where they are of so many keys; false: it has not, and
  // run() is to.
  bool exchange(Insertion& insertion, std::size_t fewest_keys, const CallContext& context);
  // What the head is now; null: it has not stepped.
  Head finish_step(const Insertion& insertion);
  // What was read last, if that is `head`, or what is there now; null: neither is.
  Head head_to_step_from(const PlaceHead& head, const CallContext& context);
  bool sets_lines() const noexcept { return lines_per_key_ != 0; }
  // All of the string's body, in pieces, and the head that was there then. Throws as copy() does.
  NativeBitmapHead read_body(std::span<std::byte> body, const CallContext& context);
  // One of these, if the bits of `first` are still there.
  Reply read_piece(std::uint64_t from, std::uint64_t count, const NativeBitmapHead& first,
                   const CallContext& context);
  std::vector<std::uint64_t> offsets(std::span<const std::uint64_t> positions) const;
  [[noreturn]] void fail(const std::string& why) const;

  const std::shared_ptr<Client> client_;
  const std::string key_;
  const std::string name_;
  const bool writes_;
  const std::uint32_t part_;
  const FilterNumbers numbers_;
  const std::size_t probe_count_;
  const std::size_t lines_per_key_;  // 0: the bits are asked one by one
  const FileLayout layout_;
  const std::string geometry_;
  const Positions positions_;
  std::atomic<std::uint64_t> head_length_;
  std::atomic<int> exchanges_to_skip_ = 0;  // after one that was overtaken or refused
  LostBits lost_;                           // by their offsets in the string

  mutable ForkMutex mutex_;
  Head opened_;
  Head last_;  // that was read

  GatheredPresence gathered_;
};

// The filter whose body was read.
AnyFilter open_read_body(const NativeBitmapHead& head, HeapWords words);

// How many partitions the location asks for; all settings are taken out of it. Throws
// std::invalid_argument for those of other layouts.
std::optional<std::uint32_t> take_native_settings(Location& location);

// Whether anything is at a key; and away with it: whether anything was.
bool native_exists(Client& client, const std::string& key);
bool delete_native(Client& client, const std::string& key);
// The filter of the client's location, with all its partitions. Throws StoreError where something
// else is there.
bool destroy_native(Client& client);

// The place of "bitmap:redis://...". Throws StoreError where no filter of ours is there, and where
// one whose checksums stand does not match them; std::invalid_argument for settings.
std::unique_ptr<FilterPlace> open_native_place(std::string_view location, bool writes);

}  // namespace bloomery::redis
