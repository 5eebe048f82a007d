// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "bloomery/place/filter_place.h"

namespace bloomery {

// Hands on to another place what it is asked and told. Who stands in front of a place derives from
// it, and overrides what is different. Borrows the place.
class PlaceInFront : public FilterPlace {
 public:
  explicit PlaceInFront(FilterPlace& place) : place_(place) {}

  std::string name() const override { return place_.name(); }
  void ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
           const CallContext& context = {}) override {
    place_.ask(keys, answers, proofs, context);
  }
  Presence ask_one(Key key, Proofs& proofs, const CallContext& context = {}) override {
    return place_.ask_one(key, proofs, context);
  }
  using FilterPlace::insert_many;
  void insert_many(std::span<const Key> keys, std::span<Inserted> outcomes,
                   const CallContext& context = {}) override {
    place_.insert_many(keys, outcomes, context);
  }
  void flush(const CallContext& context) override { place_.flush(context); }
  PlaceHead head(const CallContext& context = {}) override { return place_.head(context); }
  AnyFilter copy(const CallContext& context = {}) override;
  FollowedFilter* followed() noexcept override { return place_.followed(); }

 protected:
  FilterPlace& place_;
};

}  // namespace bloomery
