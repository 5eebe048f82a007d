// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "bloomery/place/filter_place.h"

namespace bloomery {

// A place whose filter can be kept in step with a source, made anew, merged into or removed. It
// overrides what it can do; the rest is refused by name.
class FollowedFilter : public FilterPlace {
 public:
  FollowedFilter* followed() noexcept final { return this; }

  // Inserts the keys, and moves the watermark in the same step; `head` is then what it is now.
  // False: the head was not what `head` says when this was tried last; where an answer was lost,
  // since the try before has moved it. Read the head, and send again every key above its watermark,
  // since what was sent before may be lost.
  //
  // The watermark must not get ahead of the bits: a server may lose what insert_many() put in, and
  // still have the head that it had. So keys of a place in a server travel with their watermark.
  virtual bool insert_and_advance(std::span<const Key> keys, PlaceHead& head, const Watermark& next,
                                  const CallContext& context = {});

  // A new, empty filter of the same kind, for `options`.
  virtual std::unique_ptr<Rebuild> begin_rebuild(const FilterOptions& options,
                                                 const CallContext& context = {});

  // Inserts the keys of another filter of the same kind and geometry.
  virtual void merge(const FilterContents& other);

  // Removes the filter for good.
  virtual void destroy(const CallContext& context = {});
};

}  // namespace bloomery
