// SPDX-License-Identifier: Apache-2.0
#include "bindings/c/calls.h"
#include "bindings/c/filter_handle.h"
#include "bindings/c/make_filter.h"
#include "bindings/c/open_filter.h"
#include "bloomery/open/open_place.h"
#include "bloomery/store/mapped_filter.h"

// The calls that take locations.
namespace bloomery::c {
namespace {

void save(const bloomery_filter& filter, const char* text, bool must_be_new) {
  const PlaceLocation location = parse_place_location(need_text(text, "location"));
  filter.look([&](const FilterContents& contents) {
    PlaceSaveOptions options;
    options.file.replace = !must_be_new;
    bloomery::save(contents, location, options);
  });
}

}  // namespace
}  // namespace bloomery::c

using namespace bloomery::c;  // the calls are its outside

extern "C" {

bloomery_filter* bloomery_open(const char* location, int flags, const char* keys) {
  return handle([&] { return open_handle(location, flags, keys); });
}

bloomery_filter* bloomery_load(const char* location, const char* keys) {
  return handle([&] { return load_handle(location, keys); });
}

int bloomery_save(const bloomery_filter* filter, const char* location, int must_be_new) {
  return status_of([&] { save(need(filter), location, must_be_new != 0); });
}

int bloomery_recover(const char* path) {
  return status_of([&] { bloomery::recover(need_text(path, "path")); });
}

}  // extern "C"
