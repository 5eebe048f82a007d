// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "bloomery/place/followed_filter.h"
#include "bloomery/store/file_location.h"
#include "bloomery/store/shared_filter.h"

namespace bloomery {

// A file of our own that processes of this machine insert into together.
class SharedPlace final : public FollowedFilter {
 public:
  // Throws as open_shared() does.
  SharedPlace(const FileLocation& location, bool writes, bool keys_as_said = false);

  std::string name() const override { return location_.text(); }
  void ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
           const CallContext& context = {}) override;
  using FilterPlace::insert_many;
  void insert_many(std::span<const Key> keys, std::span<Inserted> outcomes,
                   const CallContext& context = {}) override;
  void merge(const FilterContents& other) override { shared_.filter().merge(other); }
  void flush(const CallContext& context) override;
  PlaceHead head(const CallContext& context = {}) override;
  AnyFilter copy(const CallContext& context = {}) override;

 private:
  const FileLocation location_;
  const bool writes_;
  SharedFilter shared_;
  const FilterNumbers numbers_;
};

}  // namespace bloomery
