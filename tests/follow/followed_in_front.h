// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>

#include "bloomery/place/followed_filter.h"

namespace bloomery {

// Hands on what it is asked.
class FollowedInFront : public FollowedFilter {
 public:
  explicit FollowedInFront(FilterPlace& place) : place_(place) {}

  std::string name() const override { return place_.name(); }
  void ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
           const CallContext& context) override {
    place_.ask(keys, answers, proofs, context);
  }
  using FilterPlace::insert_many;
  void insert_many(std::span<const Key> keys, std::span<Inserted> outcomes,
                   const CallContext& context) override {
    place_.insert_many(keys, outcomes, context);
  }
  PlaceHead head(const CallContext& context) override { return place_.head(context); }
  bool insert_and_advance(std::span<const Key> keys, PlaceHead& head, const Watermark& next,
                          const CallContext& context) override {
    return place_.insert_and_advance(keys, head, next, context);
  }
  std::unique_ptr<Rebuild> begin_rebuild(const FilterOptions& options,
                                         const CallContext& context) override {
    return place_.begin_rebuild(options, context);
  }

 protected:
  FilterPlace& place_;
};

}  // namespace bloomery
