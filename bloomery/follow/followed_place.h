// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <vector>

#include "bloomery/filter/any_filter.h"
#include "bloomery/open/place_location.h"
#include "bloomery/place/followed_filter.h"

namespace bloomery {

// The head of the filter that a follower would go on with there; nothing where none is, or one that
// is damaged, so that the follower makes another. Throws as FollowedPlace's constructor does.
std::optional<PlaceHead> head_to_follow(const PlaceLocation& location);

// Makes the empty filter that is to hold so many keys.
using FilterMaker = std::function<AnyFilter(const FilterOptions& options)>;

// A filter that a follower fills, at a location where perhaps none is yet: until then every answer
// is `unknown`. A file is read whole, locked against other writers, and written back by flush().
//
// A rebuild is made in memory, and takes the place of what is there in one step, with its
// watermark: it holds all that its source has up to there, whatever others have put into the old
// one meanwhile. Keys that no source has (a guard's announced inserts) are in the new one only if
// they came through this object.
class FollowedPlace final : public FollowedFilter {
 public:
  // Throws std::invalid_argument for a location that no follower can fill. Asks no server.
  static void require_followable(const PlaceLocation& location);

  // `make` is asked for each rebuild. Throws std::invalid_argument for a kind that cannot be
  // followed, and as open_place() does where a filter is there.
  FollowedPlace(PlaceLocation location, FilterMaker make);
  ~FollowedPlace() override;

  std::string name() const override { return location_.text(); }
  void ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
           const CallContext& context = {}) override;
  using FilterPlace::insert_many;
  void insert_many(std::span<const Key> keys, std::span<Inserted> outcomes,
                   const CallContext& context = {}) override;
  void flush(const CallContext& context) override;
  // Looks at what is there now, also where a server lost it or somebody put another there. A filter
  // that is damaged is as good as lost.
  PlaceHead head(const CallContext& context = {}) override;
  AnyFilter copy(const CallContext& context = {}) override;
  bool insert_and_advance(std::span<const Key> keys, PlaceHead& head, const Watermark& next,
                          const CallContext& context = {}) override;
  std::unique_ptr<Rebuild> begin_rebuild(const FilterOptions& options,
                                         const CallContext& context = {}) override;
  void destroy(const CallContext& context = {}) override;

  // Returns whether fences can be asked for: other systems' filters say nowhere how far they are.
  bool has_watermark() const noexcept;

 private:
  struct Next;
  struct Beside;

  FilterPlace& need();
  bool is_lost_file() const;
  PlaceHead open_if_there();
  PlaceHead open();
  void replace(const AnyFilter& filter, const Watermark* watermark);

  const PlaceLocation location_;
  const FilterMaker make_;
  KeyForm form_{};                      // of what make_ makes
  std::shared_mutex mutex_;             // inner_ and next_ may be replaced
  std::unique_ptr<FilterPlace> inner_;  // null: none is there
  bool was_lost_ = false;       // somebody took the file away, and no other was opened since
  std::shared_ptr<Next> next_;  // what a rebuild under way makes
};

}  // namespace bloomery
