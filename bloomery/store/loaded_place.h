// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <vector>

#include "bloomery/place/followed_filter.h"
#include "bloomery/store/file_location.h"
#include "bloomery/store/filter_editor.h"

namespace bloomery {

// A file that is read whole. For writing it is locked against other writers, and written back by
// flush(), in one step; without that the file stays as it was.
class LoadedPlace final : public FollowedFilter {
 public:
  // Opens for reading what was loaded.
  LoadedPlace(std::string name, AnyFilter filter);
  // Opens for writing. Throws as FilterEditor does.
  explicit LoadedPlace(const FileLocation& location);

  std::string name() const override { return name_; }
  void ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
           const CallContext& context = {}) override;
  using FilterPlace::insert_many;
  void insert_many(std::span<const Key> keys, std::span<Inserted> outcomes,
                   const CallContext& context = {}) override;
  // Moves the watermark with the keys: both are in the file after the next flush().
  bool insert_and_advance(std::span<const Key> keys, PlaceHead& head, const Watermark& next,
                          const CallContext& context = {}) override;
  void flush(const CallContext& context) override;
  PlaceHead head(const CallContext& context = {}) override;
  // Copies the filter, with what is not flushed yet.
  AnyFilter copy(const CallContext& context = {}) override;

  // Returns whether nobody has moved, removed or replaced the file. False where the place is not
  // for writing.
  bool is_there();

 private:
  void insert(std::span<const Key> keys, std::span<Inserted> outcomes);
  bool move(const PlaceHead& expected, const Watermark& next);
  std::optional<Watermark> reached() const;
  PlaceHead head_now() const;
  const AnyFilter& filter() const noexcept { return editor_ ? editor_->filter() : *loaded_; }

  const std::string name_;
  const bool has_notes_;  // other systems' files have none
  std::shared_mutex mutex_;
  std::optional<AnyFilter> loaded_;
  std::optional<FilterEditor> editor_;
  const FilterNumbers numbers_;
};

}  // namespace bloomery
