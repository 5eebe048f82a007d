// SPDX-License-Identifier: Apache-2.0
// What every place passes on to its FollowedFilter, and what such a filter cannot do.
#include "bloomery/place/followed_filter.h"

#include <string_view>

namespace bloomery {
namespace {

constexpr std::string_view kNoWatermark = "has no watermark";
constexpr std::string_view kNoRebuild = "cannot be rebuilt while it answers";
constexpr std::string_view kNoMerge =
    "where it lives, it merges nothing; load it into memory, and save that";
constexpr std::string_view kNoDestroying = "cannot be destroyed from here";

}  // namespace

bool FilterPlace::insert_and_advance(std::span<const Key> keys, PlaceHead& head,
                                     const Watermark& next, const CallContext& context) {
  FollowedFilter* const filter = followed();
  if (filter == nullptr) refuse(kNoWatermark);
  return filter->insert_and_advance(keys, head, next, context);
}

bool FilterPlace::advance(const PlaceHead& expected, const Watermark& next,
                          const CallContext& context) {
  PlaceHead head = expected;
  return insert_and_advance({}, head, next, context);
}

std::unique_ptr<Rebuild> FilterPlace::begin_rebuild(const FilterOptions& options,
                                                    const CallContext& context) {
  FollowedFilter* const filter = followed();
  if (filter == nullptr) refuse(kNoRebuild);
  return filter->begin_rebuild(options, context);
}

void FilterPlace::merge(const FilterContents& other) {
  FollowedFilter* const filter = followed();
  if (filter == nullptr) refuse(kNoMerge);
  filter->merge(other);
}

void FilterPlace::destroy(const CallContext& context) {
  FollowedFilter* const filter = followed();
  if (filter == nullptr) refuse(kNoDestroying);
  filter->destroy(context);
}

bool FollowedFilter::insert_and_advance(std::span<const Key>, PlaceHead&, const Watermark&,
                                        const CallContext&) {
  refuse(kNoWatermark);
}

std::unique_ptr<Rebuild> FollowedFilter::begin_rebuild(const FilterOptions&, const CallContext&) {
  refuse(kNoRebuild);
}

void FollowedFilter::merge(const FilterContents&) {
  refuse(kNoMerge);
}

void FollowedFilter::destroy(const CallContext&) {
  refuse(kNoDestroying);
}

}  // namespace bloomery
