// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/bits/fork_mutex.h"
#include "bloomery/place/filter_place.h"
#include "bloomery/redis/client/client.h"
#include "bloomery/redis/client/transaction.h"
#include "bloomery/redis/places/lost_bits.h"
#include "bloomery/redis/places/native_bitmap.h"
#include "bloomery/redis/places/set_bits.h"
#include "bloomery/redis/places/step_stream.h"

namespace bloomery::redis {

// The conversation with one string of a server that holds a filter of ours, or one part of it. A
// trip asks or sets the bits of some keys, in transactions that read the head with them; each is
// judged by its own head.
//
// Questions and insertions can be appended to a request, read and judged step by step, so that
// those of several strings share a round trip. Many threads may use one OwnString.
class OwnString {
 public:
  using Head = std::shared_ptr<const NativeBitmapHead>;
  struct Seen;
  struct Trip;
  struct TripPiece;
  struct Part;  // own_string_insertion.h
  struct Insertion;

  // `key` is that of the string, which may be another than the client's location says.
  OwnString(std::shared_ptr<Client> client, std::string key, std::string name,
            NativeBitmapHead opened);

  const std::string& key() const noexcept { return key_; }
  const FileLayout& layout() const noexcept { return layout_; }
  // Lines are set as a whole; else bit by bit.
  bool sets_lines() const noexcept { return lines_per_key_ != 0; }
  KeyBits bits_of(std::span<const Key> keys) const;
  // Lets each step leave the hashes of its keys, which have to come with their bits, in a stream of
  // at most so many bytes beside the string. Called before any other call.
  void keep_steps(std::uint64_t most_bytes);
  // How many keys an insert may take at once.
  std::size_t most_keys_set() const noexcept;

  // Asks for bits, in a trip of its own.
  Trip travel(KeyBits bits, const CallContext& context);
  // `append_question`, `read_question`, `judge`: the steps of travel(), in this order. `has_grown`:
  // the head is longer than was asked for, and the question has to be asked again.
  void append_question(Request& request, Trip& trip);
  void read_question(std::span<const Reply> replies, Trip& trip);
  bool has_grown(const Trip& trip) const noexcept;
  void judge(Trip& trip);
  // Answers the keys of a round trip that was judged. Behind a fence the head of another filter
  // than was opened is as good a proof.
  void answer(const Trip& trip, std::span<Presence> answers, Proofs& proofs,
              const CallContext& context);
  // Returns whether the string that was opened is not there any more.
  static bool has_lost(const Trip& trip, const CallContext& context);

  // The head that was read last; null before the first.
  Head last_head() const;
  // Asked now. Throws where it is in doubt.
  Head need_head(const CallContext& context);
  // Throw StoreError where the trip leaves it in doubt, and where bits were lost before.
  void require_sure(const Trip& trip) const;
  void require_not_lost();

  // Makes the next round trip of an insert, from the key `first_key` on. With `old` and `watermark`
  // it also steps the head, from `old`, and the last key brings the watermark.
  Insertion insertion(InsertCall call, const KeyBits& bits, std::size_t first_key) const;
  Insertion insertion(InsertCall call, const KeyBits& bits, std::size_t first_key, Head old,
                      const Watermark& watermark) const;
  // Appends, sends, reads and settles. False: the trip was repeated.
  bool run(Insertion& insertion, const CallContext& context);
  // `append`, `read`, `settle`: the steps of run(), in this order. settle() throws unless the keys
  // are in the filter that is there.
  void append(Request& request, Insertion& insertion);
  void read(std::span<const Reply> replies, Insertion& insertion);
  void settle(const Insertion& insertion, const CallContext& context);
  // Does a step as run() does, but without a script and at less cost, if it has at least
  // `fewest_keys` keys whose bits are near each other. Returns false if the step is not done, and
  // run() has to do it.
  bool exchange(Insertion& insertion, std::size_t fewest_keys, const CallContext& context);
  // The head to step from: the one that was read last, or the one that is there now, if that is
  // `head`; null if neither is.
  Head head_to_step_from(const PlaceHead& head, const CallContext& context);
  // The head after a step; null if not every transaction of it has stepped.
  Head finish_step(const Insertion& insertion);
  // A filter that is to be written gets the mark that its checksums are void, and an identity.
  void make_live(const CallContext& context);

  // All of the string's body, in pieces of a megabyte, and the heads that were there before, with
  // each piece, and behind: behind a fence with all keys up to it. Throws StoreError where another
  // filter takes its place meanwhile.
  std::vector<Head> read_body(std::span<std::byte> body, const CallContext& context);

  // Changes: what steps brought since the filter stood at `state`.
  struct Changes {
    std::vector<HashPair> hashes{};
    std::vector<StepState> states{};  // to which the steps led, in their order
    bool is_broken = false;           // there is no chain of steps from `state` on
    bool has_all = false;             // the chain leads to the head that is there now
  };
  // Reads the stream beside the string, up to some million hashes, behind those entries of it that
  // `came` before and follow on the state. With `reads_stream` false, or set to false as the user
  // may not read streams, the chain is broken where the head is another. Throws StoreError where no
  // filter is there that may be believed.
  Changes changes_since(const StepState& state, std::span<const StepEntry> came, bool& reads_stream,
                        const CallContext& context);

 private:
  void cut_into_pieces(Trip& trip) const;
  std::span<const std::uint64_t> bits_in(const Trip& trip, const TripPiece& piece) const;
  std::size_t units_of(const Trip& trip, const TripPiece& piece) const;
  void read_answers(std::span<const Reply> all, Trip& trip, TripPiece& piece);
  // Reads the replies that every transaction begins with: role, length, head. False: the key holds
  // no string.
  bool read_beginning(std::span<const Reply> all, bool allow_replica, Seen& seen);
  bool is_opened(const NativeBitmapHead& head) const;
  // Why keys that have bits in what was opened may have none there; empty: they have the same.
  std::string other_bits(const NativeBitmapHead& head) const;
  Presence missing(const TripPiece& piece, const CallContext& context) const;
  Head head_of(std::string_view bytes, std::uint64_t byte_count, std::string& doubt);
  Head opened() const;
  void remember(Head head);
  // Cuts bits into transactions, from the key `first_key` on, as many as fit into one round trip.
  std::vector<Part> split(const KeyBits& bits, std::size_t first_key, std::size_t most_bits) const;
  void read_part(std::span<const Reply> replies, const LostBits::Known& known, Part& part);
  void settle(const Part& part, const LostBits::Known& known, const CallContext& context);
  // A piece of the body, if the bits of `first` are still there.
  std::string read_piece(std::uint64_t from, std::uint64_t count, const NativeBitmapHead& first,
                         std::vector<Head>& heads, const CallContext& context);
  StepNote note_of(const NativeBitmapHead& old, const NativeBitmapHead& next,
                   std::span<const HashPair> hashes) const;
  bool has_keys_of_opened(const NativeBitmapHead& head) const;
  // One look: the entries behind `state`, and the head of the same moment.
  struct StepLook;
  StepLook look_at_steps(const StepState& state, bool reads_stream, const CallContext& context);
  Changes chain_since(const StepState& state, std::span<const StepEntry> came, bool& reads_stream,
                      const CallContext& context);
  // Takes entries as long as each follows on `now`, and returns whether all did.
  static bool take_entries(std::span<const StepEntry> entries, StepState& now, Changes& changes);
  std::vector<std::uint64_t> offsets(std::span<const std::uint64_t> positions) const;
  [[noreturn]] void fail(const std::string& why) const;

  const std::shared_ptr<Client> client_;
  const std::string key_;
  const std::string name_;
  const std::uint32_t part_;
  const FilterNumbers numbers_;
  const std::size_t probe_count_;
  const std::size_t lines_per_key_;  // 0: the bits are asked one by one
  const FileLayout layout_;
  const std::string geometry_;
  const Positions positions_;
  StepStream steps_{};
  Hashes hashes_{};  // where steps are kept
  std::atomic<std::uint64_t> head_length_;
  std::atomic<int> exchanges_to_skip_ = 0;  // after one that was overtaken or refused
  LostBits lost_;                           // by their offsets in the string

  mutable ForkMutex mutex_;
  Head opened_;
  Head last_;  // that was read
};

// The replies of one transaction about the string.
struct OwnString::Seen {
  std::string nonce = next_nonce();
  std::string doubt{};  // why nothing may be believed
  bool is_primary = true;
  TransactionResult result{};
  Head head{};

  void begin_again() {
    doubt.clear();
    is_primary = true;
    result = {};
    head = {};
  }
};

// The keys of one transaction, with the head of the moment at which it read their bits. A head that
// was read before or after them proves nothing: an older copy may have been put there, and carried
// up again, in between.
struct OwnString::TripPiece : Seen {
  std::size_t first_key = 0;
  std::size_t behind_keys = 0;
  std::string not_ours{};  // why it may be believed behind a fence alone
};

// The question of a round trip, and its replies.
struct OwnString::Trip {
  KeyBits bits{};
  LostBits::Known known{};
  std::uint64_t head_bytes = 0;     // as many were asked for
  std::vector<TripPiece> pieces{};  // at least one
  std::vector<bool> all_set{};      // a key each

  bool has_doubt() const noexcept {
    return std::ranges::any_of(pieces, [](const TripPiece& each) { return !each.doubt.empty(); });
  }

  // Forgets the replies of an earlier try.
  void begin_again() {
    for (TripPiece& each : pieces) {
      each.begin_again();
      each.not_ours.clear();
    }
    all_set.assign(bits.size(), false);
  }
};

}  // namespace bloomery::redis
