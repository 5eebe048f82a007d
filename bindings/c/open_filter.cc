// SPDX-License-Identifier: Apache-2.0
#include "bindings/c/open_filter.h"

#include <filesystem>
#include <stdexcept>
#include <utility>

#include "bindings/c/make_filter.h"
#include "bindings/c/placed_filter.h"
#include "bloomery/open/open_place.h"

namespace bloomery::c {

namespace {

// Returns whether it is a file of ours, which says how its keys are written, whatever its kind.
bool is_our_file(const PlaceLocation& location) {
  return !location.is_live() && location.format == nullptr;
}

// Makes a file's path absolute: a flush looks for the file by its name again, whatever folder the
// process is in by then.
void make_absolute(PlaceLocation& location) {
  if (location.is_live()) return;
  location.file.path = std::filesystem::absolute(location.file.path);
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
  PlaceLocation location = parse_place_location(need_text(text, "location"));
  make_absolute(location);
  const PlaceOptions options{.access = shared                          ? PlaceOptions::shared
                                       : (flags & BLOOMERY_WRITE) != 0 ? PlaceOptions::read_write
                                                                       : PlaceOptions::read_only,
                             .allow_forgetting = (flags & BLOOMERY_FORGETTING) != 0,
                             .load_files = (flags & BLOOMERY_WHOLE) != 0,
                             .keys_as_said = true};
  auto place = open_place(location, options);
  const PlaceFacts facts{
      .says_form = location.has_trailer || is_our_file(location),
      .writes_file = !shared && !location.is_live() && (flags & BLOOMERY_WRITE) != 0};
  auto held = hold_place(std::move(place), facts);
  return std::make_unique<bloomery_filter>(std::move(held), text_or_empty(keys));
}

std::unique_ptr<bloomery_filter> load_handle(const char* text, const char* keys) {
  const PlaceLocation location = parse_place_location(need_text(text, "location"));
  AnyFilter filter = bloomery::load(location);
  const bool says_form = is_our_file(location) && is_foreign(filter.parameters().kind);
  return handle_of(std::move(filter), keys, says_form ? Known::form : Known::nothing);
}

}  // namespace bloomery::c
