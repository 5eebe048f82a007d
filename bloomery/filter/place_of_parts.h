#pragma once

#include <vector>

#include "bloomery/filter/filter_place.h"

namespace bloomery {

// Beside FilterPlace: of a place that does not deny by its head's watermark alone, such as one in
// parts, whose head has the lowest of theirs.
class PlaceOfParts {
 public:
  virtual ~PlaceOfParts() = default;

  // Every watermark by which it may deny a key from now on, unless it moves: of its parts, also of
  // such as do not answer now. Throws where it cannot say.
  virtual std::vector<Watermark> watermarks(const CallContext& context = {}) = 0;
};

// The same of any place.
inline std::vector<Watermark> watermarks_of(FilterPlace& place, const CallContext& context = {}) {
  if (auto* const parts = dynamic_cast<PlaceOfParts*>(&place)) return parts->watermarks(context);
  const auto reached = place.head(context).watermark;
  return reached ? std::vector{*reached} : std::vector<Watermark>{};
}

}  // namespace bloomery
