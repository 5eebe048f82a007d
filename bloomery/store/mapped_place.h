// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bloomery/place/filter_place.h"
#include "bloomery/store/file_location.h"
#include "bloomery/store/mapped_filter.h"

namespace bloomery {

// A file of our own, mapped. For writing it is locked, and marked as not closed until this goes.
class MappedPlace final : public FilterPlace {
 public:
  // Throws as open_mapped() does.
  MappedPlace(const FileLocation& location, bool writes, bool keys_as_said = false);

  std::string name() const override { return location_.text(); }
  void ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
           const CallContext& context = {}) override;
  using FilterPlace::insert_many;
  void insert_many(std::span<const Key> keys, std::span<Inserted> outcomes,
                   const CallContext& context = {}) override;
  void flush(const CallContext& context) override;
  PlaceHead head(const CallContext& context = {}) override;
  // Copies the file that the place answers from, whichever file has its name by now.
  AnyFilter copy(const CallContext& context = {}) override;

 private:
  const FileLocation location_;
  const bool writes_;
  MappedFilter mapped_;
  const FilterNumbers numbers_;
};

}  // namespace bloomery
