#include "bloomery/place/open_place.h"

#include <stdexcept>
#include <string>
#include <utility>

#include "bloomery/format/kinds.h"
#include "bloomery/place/loaded_place.h"
#include "bloomery/place/mapped_place.h"
#include "bloomery/redis/bitmap_place.h"
#include "bloomery/store/native_file.h"

namespace bloomery {
namespace {

bool forgets(FilterKind number) {
  const Kind& kind = kind_of(number);
  return kind.forgets || kind.counts;
}

std::unique_ptr<FilterPlace> open_file(const FileLocation& location, const PlaceOptions& options) {
  const bool writes = options.access == PlaceOptions::read_write;
  if (writes && (location.format != nullptr ||
                 !is_changed_in_place(inspect(location.path).contents.parameters.kind))) {
    return std::make_unique<LoadedPlace>(location);
  }
  if (location.format == nullptr && (writes || !options.load_files)) {
    return std::make_unique<MappedPlace>(location, writes);
  }
  AnyFilter filter = load(location);
  if (options.look) options.look(filter);
  return std::make_unique<LoadedPlace>(location.text(), std::move(filter));
}

}  // namespace

std::unique_ptr<FilterPlace> open_place(std::string_view text, const PlaceOptions& options) {
  return open_place(parse_place_location(text), options);
}

std::unique_ptr<FilterPlace> open_place(const PlaceLocation& location,
                                        const PlaceOptions& options) {
  // None of the formats that live in servers forgets.
  if (location.is_live()) {
    return redis::open_bitmap_place(*location.format, location.server,
                                    options.access == PlaceOptions::read_write);
  }
  auto place = open_file(location.file, options);
  if (!options.allow_forgetting && forgets(place->head().parameters.kind)) {
    throw std::invalid_argument(location.text() +
                                ": its filter forgets keys or lets them be erased, so that its "
                                "\"absent\" is no promise; allow_forgetting takes it all the same");
  }
  return place;
}

AnyFilter load(const PlaceLocation& location) {
  return location.is_live() ? open_place(location)->copy() : load(location.file);
}

}  // namespace bloomery
