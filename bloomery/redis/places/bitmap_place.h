// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bloomery/format/format.h"
#include "bloomery/redis/client/client.h"
#include "bloomery/redis/places/bitmap_transaction.h"
#include "bloomery/redis/places/live_bitmap.h"
#include "bloomery/redis/places/lost_bits.h"
#include "bloomery/redis/places/server_place.h"

namespace bloomery::redis {

// A filter of another system, asked and filled where it lives. Up to some 100,000 bits are one
// round trip, in one transaction for each 14,000.
//
// A bitmap whose location says neither trust=bits nor trailer=1 never says `absent`. With one of
// them `unknown` is said instead of `absent` where the bitmap or its configuration is missing or no
// longer what it was, where a key holds something else, and by a replica; what fails throws, and
// leaves its keys unknown. head() throws with the reason. docs/redis.md says what is promised.
//
// A bitmap with trailer=1 has an identity and a watermark behind its last bit. Behind a fence the
// watermark alone counts, also where another bitmap has taken the place of the one that was opened:
// it says which keys are in. Without a fence it must be the bitmap that was opened. head() of one
// whose trailer is gone has no identity and no watermark.
class BitmapDialect final : public ServerDialect {
 public:
  BitmapDialect(std::unique_ptr<Client> client, LiveBitmap filter);

  std::size_t ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
                  const CallContext& context) override;
  // Sets the bits in the order of the keys. Where the trip had to be repeated, a key whose bits are
  // all there may have got them by the first: its outcome is unknown. Throws where the filter is in
  // doubt: the keys are then in no filter that anybody may rely on.
  std::size_t insert(InsertCall call, std::span<const Key> keys, std::span<Inserted> outcomes,
                     const CallContext& context) override;
  // One round trip. `inserted` is 0: counting bits takes the server as long as its bitmap is large.
  // Throws StoreError where the filter is in doubt.
  PlaceHead head(const CallContext& context) override;
  // One transaction; the server copies the bitmap meanwhile, some 0.1 s for 256 MiB, which is the
  // most. Throws StoreError where the filter is in doubt.
  std::optional<AnyFilter> copy(const CallContext& context) override;
  // Refuses without trailer=1.
  void require_watermark(const CallContext& context) override;
  // Each transaction has its bits and a step of the beat in it, the last one the watermark too.
  bool step(std::span<const Key> keys, PlaceHead& head, const Watermark& next,
            const CallContext& context) override;
  void destroy() override;

  // Learns how long the bitmap is and of a few bits that are set, by which it knows it again.
  // Throws as the other calls do.
  void look();

 private:
  struct Part;
  struct Found;

  // Asks or sets the bits of the first keys, as many as one trip takes.
  Found travel(std::span<const Key> keys, Touch touch, const CallContext& context,
               InsertCall call = 0);
  Found exchange(std::vector<Part> parts, Touch touch, const CallContext& context);
  const KeyForm& keys() const noexcept;  // in which form it is asked
  bool is_opened(const std::optional<Trailer>& trailer) const noexcept;
  void prove(const Found& found, Proofs& proofs) const;
  // The answer for a key that has a clear bit: `absent` or `unknown`.
  Presence missing(const Found& found, const CallContext& context) const;
  std::vector<Part> split(std::span<const Key> keys, Touch touch, InsertCall call) const;
  Found judge(std::vector<Part>& parts, const LostBits::Known& known, Touch touch, bool repeated);
  void add_answers(const Part& part, std::vector<bool>& all_set) const;
  void learn(const Part& part);
  void learn_set(std::span<const Part> parts, bool repeated);

  const std::unique_ptr<Client> client_;
  const LiveBitmap filter_;
  const FilterNumbers numbers_;
  std::optional<Trailer> opened_{};  // as look() found it
  LostBits lost_;
};

// The filter of the client's location, its configuration read from the server where the system
// keeps one there. Throws StoreError where there is none.
LiveBitmap find_live_bitmap(Client& client, const Format& format);

// The place of "redisson:redis://...": `format` and what follows it. Reads the configuration, where
// the system keeps one. Throws StoreError where there is none, std::invalid_argument for a format
// that does not live in servers.
std::unique_ptr<FilterPlace> open_bitmap_place(const Format& format, std::string_view location,
                                               bool writes);

}  // namespace bloomery::redis
