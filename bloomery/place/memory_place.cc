// SPDX-License-Identifier: Apache-2.0
#include "bloomery/place/memory_place.h"

#include <stdexcept>

#include "bloomery/filter/filter_kinds.h"

namespace bloomery {

void require_placeable(const FilterParameters& parameters, bool can_erase) {
  if (parameters.kind == FilterKind::windowed) {
    throw std::invalid_argument(
        "a filter in memory: a windowed filter forgets keys, and its \"absent\" is no promise");
  }
  if (can_erase) {
    throw std::invalid_argument(
        "a filter in memory: a key that a counting filter has by chance takes others with it when "
        "it is erased, and \"absent\" is no promise then; plain() gives a filter that keeps all");
  }
}

AnyFilter make_another(const AnyFilter& filter, const FilterOptions& options) {
  const FilterKind kind = filter.parameters().kind;
  if (is_foreign(kind)) {
    throw std::invalid_argument(
        "a filter in memory: a filter of another system's is not made anew; give one to "
        "begin_rebuild()");
  }
  AnyFilter another = make_filter(kind, options);
  // The keys are the same ones again, and written alike unless somebody says otherwise.
  if (!options.keys.is_known()) another.set_keys(filter.keys());
  return another;
}

}  // namespace bloomery
