// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "bloomery/filter/any_filter.h"
#include "bloomery/place/followed_filter.h"
#include "bloomery/redis/places/gathered_presence.h"
#include "bloomery/redis/places/lost_bits.h"

namespace bloomery::redis {

// One way to have a filter in a server: how keys are cut into round trips, what is sent, how
// replies are read and judged, and what is learnt from them. All calls may run together. They throw
// as those of FilterPlace do.
class ServerDialect {
 public:
  explicit ServerDialect(std::string name) : name_(std::move(name)) {}
  ServerDialect(const ServerDialect&) = delete;
  ServerDialect& operator=(const ServerDialect&) = delete;
  virtual ~ServerDialect() = default;

  const std::string& name() const noexcept { return name_; }

  // Asks, in one round trip, for the first of the keys, as many as it takes, which is returned.
  // Without keys it is a look (FilterPlace::ask).
  virtual std::size_t ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
                          const CallContext& context) = 0;
  // Inserts the first of the keys, as many as it takes at once, which is returned. `outcomes` is
  // empty, or as long as the keys.
  virtual std::size_t insert(InsertCall call, std::span<const Key> keys,
                             std::span<Inserted> outcomes, const CallContext& context) = 0;
  virtual PlaceHead head(const CallContext& context) = 0;
  // Reads the filter as a whole; nothing if it cannot be read so.
  virtual std::optional<AnyFilter> copy(const CallContext& context) = 0;
  // Throws std::invalid_argument where it has no watermark.
  virtual void require_watermark(const CallContext&) {}
  // FollowedFilter::insert_and_advance, to a watermark that has a source.
  virtual bool step(std::span<const Key> keys, PlaceHead& head, const Watermark& next,
                    const CallContext& context) = 0;
  virtual void destroy() = 0;

 protected:
  // "NAME: WHY", as std::invalid_argument and as StoreError.
  [[noreturn]] void refuse(std::string_view why) const;
  [[noreturn]] void fail(std::string_view why) const;

 private:
  const std::string name_;
};

// A filter in a server. Single keys that threads ask for at the same moment are one round trip.
class ServerPlace final : public FollowedFilter {
 public:
  ServerPlace(std::unique_ptr<ServerDialect> dialect, const Location& location, bool writes)
      : dialect_(std::move(dialect)), writes_(writes), gathered_(*this, location) {}

  std::string name() const override { return dialect_->name(); }
  void ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
           const CallContext& context = {}) override;
  Presence ask_one(Key key, Proofs& proofs, const CallContext& context = {}) override {
    return gathered_.of(key, proofs, context);
  }
  using FilterPlace::insert_many;
  void insert_many(std::span<const Key> keys, std::span<Inserted> outcomes,
                   const CallContext& context = {}) override;
  PlaceHead head(const CallContext& context = {}) override { return dialect_->head(context); }
  AnyFilter copy(const CallContext& context = {}) override;
  bool insert_and_advance(std::span<const Key> keys, PlaceHead& head, const Watermark& next,
                          const CallContext& context = {}) override;
  void destroy(const CallContext& context = {}) override;

 private:
  void require_writing() const;

  const std::unique_ptr<ServerDialect> dialect_;
  const bool writes_;
  GatheredPresence gathered_;
};

}  // namespace bloomery::redis
