// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bloomery/bits/heap_words.h"
#include "bloomery/redis/client/client.h"
#include "bloomery/redis/places/native_bitmap.h"
#include "bloomery/redis/places/own_string.h"
#include "bloomery/redis/places/server_place.h"

namespace bloomery::redis {

// The settings of a location: how many partitions it asks for, and how many bytes of steps are kept
// for copies elsewhere (deltas=BYTES; 0: none), of all partitions together.
struct NativeSettings {
  std::optional<std::uint32_t> partitions{};
  std::uint64_t step_bytes = 0;
};
inline constexpr std::uint64_t kLeastStepBytes = 4096;

// A filter of our own in one string of a server. A batch of up to 10,000 keys is one round trip, of
// transactions that read the head and a line of 64 bytes for each of their keys (or two; of a
// classic filter its bits).
//
// `unknown` is said instead of `absent` without a filter, where the head is another's, damaged or
// no longer the same, where the string is shorter than its head says, by a replica, and from the
// moment on that a bit is clear which was seen set. Behind a fence only the watermark counts: it
// proves what is in.
class NativeDialect final : public ServerDialect {
 public:
  // `key` is that of the string, which may be another than the client's location says.
  NativeDialect(std::shared_ptr<Client> client, std::string key, std::string name,
                NativeBitmapHead opened, const NativeSettings& settings = {});

  std::size_t ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
                  const CallContext& context) override;
  // Throws StoreError where no filter is there, or one whose keys have other bits.
  std::size_t insert(InsertCall call, std::span<const Key> keys, std::span<Inserted> outcomes,
                     const CallContext& context) override;
  // Throws StoreError where the filter is in doubt. `inserted` is what the head says: nobody counts
  // in a server.
  PlaceHead head(const CallContext& context) override;
  // A megabyte a trip: what was inserted before the call is in it.
  std::optional<AnyFilter> copy(const CallContext& context) override;
  // Each transaction has its bits and a step of the beat in it, the last one the watermark too.
  bool step(std::span<const Key> keys, PlaceHead& head, const Watermark& next,
            const CallContext& context) override;
  void destroy() override;

  // A filter that is to be written gets the mark that its checksums are void, and an identity.
  void make_live(const CallContext& context) { string_.make_live(context); }

 private:
  const std::shared_ptr<Client> client_;
  OwnString string_;
};

// The filter whose body was read.
AnyFilter open_read_body(const NativeBitmapHead& head, HeapWords words);

// Takes all settings out of the location. Throws std::invalid_argument for those of other layouts,
// and for values that are not allowed.
NativeSettings take_native_settings(Location& location);

// `native_exists`: whether the key exists. `delete_native`: deletes it, and returns whether it
// existed.
bool native_exists(Client& client, const std::string& key);
bool delete_native(Client& client, const std::string& key);
// The filter of the client's location, with all its partitions. Throws StoreError where something
// else is there.
bool destroy_native(Client& client);

// The place of "bitmap:redis://...". Throws StoreError where no filter of ours is there, and where
// one whose checksums stand does not match them; std::invalid_argument for settings.
std::unique_ptr<FilterPlace> open_native_place(std::string_view location, bool writes);

}  // namespace bloomery::redis
