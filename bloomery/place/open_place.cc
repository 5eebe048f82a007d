#include "bloomery/place/open_place.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "bloomery/format/kinds.h"
#include "bloomery/place/loaded_place.h"
#include "bloomery/place/mapped_place.h"
#include "bloomery/redis/bitmap_place.h"
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

// In a server; null for any other.
std::unique_ptr<FilterPlace> open_live(std::string_view text, bool writes) {
  if (redis::is_redis_location(text)) {
    throw std::invalid_argument(
        "the location of the server does not say whose filter is there; FORMAT:redis://..., with "
        "one of " +
        redis::live_formats());
  }
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string_view rest = text.substr(std::min(colon + 1, text.size()));
  if (!redis::is_redis_location(rest)) return nullptr;
  const Format* const format = find_format(text.substr(0, colon));
  if (format == nullptr) {
    throw std::invalid_argument(std::string(text.substr(0, colon)) +
                                ": no format is called so; in servers live " +
                                redis::live_formats());
  }
  return redis::open_bitmap_place(*format, rest, writes);
}

}  // namespace

std::unique_ptr<FilterPlace> open_place(std::string_view text, const PlaceOptions& options) {
  const bool writes = options.access == PlaceOptions::read_write;
  // None of the formats that live in servers forgets.
  if (auto live = open_live(text, writes)) return live;
  const FilterLocation location = parse_filter_location(text);
  auto place = open(location, writes);
  if (!options.allow_forgetting && forgets(place->head().parameters.kind)) {
    throw std::invalid_argument(location.text() +
                                ": its filter forgets keys or lets them be erased, so that its "
                                "\"absent\" is no promise; allow_forgetting takes it all the same");
  }
  return place;
}

}  // namespace bloomery
