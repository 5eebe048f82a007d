// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/redis/client/client.h"
#include "bloomery/redis/places/dialect.h"
#include "bloomery/redis/places/item_description.h"
#include "bloomery/redis/places/known_items.h"
#include "bloomery/redis/places/learnt_filter.h"
#include "bloomery/redis/places/server_place.h"

namespace bloomery::redis {

// A filter that its server asks and fills. A batch of up to 10,000 keys is one transaction.
//
// Over BF.*, `absent` is only said where marker items, which create() put in, are in the filter,
// asked in the same command; a filter without them needs trust=bits in the location. It is never
// made anew by an insert here. `unknown` is said instead of `absent` without a filter, by a
// replica, while a filter is still loaded, and from the moment on that an item which was there is
// not.
class ItemDialect final : public ServerDialect {
 public:
  struct Setup {
    Dialect dialect{};
    std::string name{};
    std::vector<std::string> markers{};
    bool says_absent = false;
    bool may_forget = false;
    // `described`: the filter that was there at the opening. `tells_watermark`: what
    // tells_watermark_ begins with.
    std::optional<ItemDescription> described{};
    bool tells_watermark = false;
  };

  ItemDialect(std::unique_ptr<Client> client, Setup setup);

  std::size_t ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
                  const CallContext& context) override;
  // Throws StoreError where a key does not go in (a full filter), or the filter is in doubt.
  std::size_t insert(InsertCall call, std::span<const Key> keys, std::span<Inserted> outcomes,
                     const CallContext& context) override;
  // Throws StoreError where the filter is in doubt.
  PlaceHead head(const CallContext& context) override;
  // Only our module gives a filter whole.
  std::optional<AnyFilter> copy(const CallContext& context) override;
  // Throws unless the filter can have a watermark: it must be opened by bloom:, and a filter of our
  // own kinds that does not forget.
  void require_watermark(const CallContext& context) override;
  // Takes up to 10,000 keys as one step; more keys are several steps, each with a beat of its own.
  bool step(std::span<const Key> keys, PlaceHead& head, const Watermark& next,
            const CallContext& context) override;
  void destroy() override;

 private:
  struct Trip;

  // `step`: the words of BLOOM.ADVANCE before the items, which then takes them.
  Trip travel(std::span<const Key> keys, bool inserts, const CallContext& context,
              std::span<const std::string> step = {});
  Trip travel_once(std::span<const Key> keys, bool inserts, const CallContext& context,
                   std::span<const std::string> step);
  Answer ask_info(const CallContext& context);
  void add_watermark(PlaceHead& head, const Reply& info) const;
  // An older module tells no watermark with its answers, and is asked for it by itself.
  void prove(const Trip& trip, Proofs& proofs, const CallContext& context);
  // The description of the filter: as it was learnt before, or else from the server now. Nothing if
  // no filter is there.
  std::optional<ItemDescription> described(const CallContext& context);
  // The description of the filter that a round trip met; nothing if that filter is not there any
  // more.
  std::optional<ItemDescription> described(const Trip& trip, const CallContext& context);
  std::optional<ItemDescription> learn(const CallContext& context);
  void read(std::span<const Reply> replies, const KnownItems::Known& known, Trip& trip) const;

  const std::unique_ptr<Client> client_;
  const Setup setup_;
  const FilterNumbers numbers_;
  // The server knows BLOOM.INFO key WATERMARK, and steps of any size. One that goes back to an
  // older module does not any more.
  std::atomic<bool> tells_watermark_;
  KnownItems known_;
  LearntFilter filter_;
};

// Reads the markers, and what our module says of the filter. Throws std::invalid_argument for a
// filter that forgets keys, unless that is allowed, and for settings; StoreError for a kind and a
// form of keys that this program does not know.
std::unique_ptr<FilterPlace> open_item_place(Dialect dialect, std::string_view location,
                                             bool writes, bool allow_forgetting);

}  // namespace bloomery::redis
