#include "bloomery/place/open_place.h"

#include <stdexcept>
#include <string>

#include "bloomery/format/kinds.h"
#include "bloomery/place/loaded_place.h"
#include "bloomery/place/mapped_place.h"
#include "bloomery/store/filter_location.h"
#include "bloomery/store/native_file.h"

namespace bloomery {
namespace {

bool forgets(FilterKind number) {
  const Kind& kind = kind_of(number);
  return kind.forgets || kind.counts;
}

std::unique_ptr<FilterPlace> open(const FilterLocation& location, bool writes) {
  if (writes && (location.format != nullptr ||
                 !is_changed_in_place(inspect(location.path).contents.parameters.kind))) {
    return std::make_unique<LoadedPlace>(location);
  }
  if (location.format != nullptr) {
    return std::make_unique<LoadedPlace>(location.text(), load(location));
  }
  return std::make_unique<MappedPlace>(location, writes);
}

}  // namespace

std::unique_ptr<FilterPlace> open_place(std::string_view text, const PlaceOptions& options) {
  const FilterLocation location = parse_filter_location(text);
  auto place = open(location, options.access == PlaceOptions::read_write);
  if (!options.allow_forgetting && forgets(place->head().parameters.kind)) {
    throw std::invalid_argument(location.text() +
                                ": its filter forgets keys or lets them be erased, so that its "
                                "\"absent\" is no promise; allow_forgetting takes it all the same");
  }
  return place;
}

}  // namespace bloomery
