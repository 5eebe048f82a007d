#include "bloomery/c/open_filter.h"

#include <utility>

#include "bloomery/c/make_filter.h"
#include "bloomery/c/placed_filter.h"
#include "bloomery/place/open_place.h"

namespace bloomery::c {
namespace {

// A file that processes share has no checksums, and is copied by one who joins them.
AnyFilter load_now(const PlaceLocation& location) {
  const bool is_shared = !location.is_live() && location.file.format == nullptr &&
                         inspect(location.file.path).is_live_here;
  return is_shared ? open_place(location)->copy() : bloomery::load(location);
}

}  // namespace

std::unique_ptr<bloomery_filter> open_handle(const char* text, int flags, const char* keys) {
  constexpr int kFlags = BLOOMERY_WRITE | BLOOMERY_FORGETTING | BLOOMERY_WHOLE | BLOOMERY_SHARED;
  if ((flags & ~kFlags) != 0) {
    throw std::invalid_argument(
        "flags: there are none but BLOOMERY_WRITE, BLOOMERY_FORGETTING, BLOOMERY_WHOLE and "
        "BLOOMERY_SHARED");
  }
  const bool shared = (flags & BLOOMERY_SHARED) != 0;
  if (shared && (flags & BLOOMERY_WHOLE) != 0) {
    throw std::invalid_argument("flags: what is BLOOMERY_SHARED is not loaded BLOOMERY_WHOLE");
  }
  const PlaceLocation location = parse_place_location(need_text(text, "location"));
  const PlaceOptions options{.access = shared                          ? PlaceOptions::shared
                                       : (flags & BLOOMERY_WRITE) != 0 ? PlaceOptions::read_write
                                                                       : PlaceOptions::read_only,
                             .allow_forgetting = (flags & BLOOMERY_FORGETTING) != 0,
                             .load_files = (flags & BLOOMERY_WHOLE) != 0};
  auto place = open_place(location, options);
  PlaceFacts facts{.load = [location] { return load_now(location); },
                   .says_form = location.has_trailer,
                   .writes_file = !shared && !location.is_live() && (flags & BLOOMERY_WRITE) != 0};
  // Nobody loads what is live. The place outlives these.
  if (shared) facts.load = [from = place.get()] { return from->copy(); };
  auto held = hold_place(std::move(place), std::move(facts));
  return std::make_unique<bloomery_filter>(std::move(held), text_or_empty(keys));
}

std::unique_ptr<bloomery_filter> load_handle(const char* text, const char* keys) {
  return handle_of(bloomery::load(parse_place_location(need_text(text, "location"))), keys);
}

}  // namespace bloomery::c
