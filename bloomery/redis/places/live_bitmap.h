// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/filter/parameters.h"
#include "bloomery/format/format.h"
#include "bloomery/redis/client/location.h"
#include "bloomery/redis/places/positions.h"

namespace bloomery::redis {

// A field of a configuration, and what it says; it is compared as bytes, as the systems do.
struct ConfigField {
  std::string_view name;
  std::string value;
};

// A filter of another system as it lives in a server: one bitmap in a string, and beside it, with
// some systems, a hash that says its size.
struct LiveBitmap {
  std::string name{};  // the location, for messages
  std::string key{};
  std::string config_key{};           // empty: none
  std::vector<ConfigField> config{};  // as it must stay
  std::string counts_key{};           // where it is, keys may be erased; empty: never
  FilterParameters parameters{};
  Positions positions{};
  const Format* format = nullptr;
  FormatSettings settings{};  // as the format's files have them
  // `trusts_bits`: somebody has said that it is enough that the bits alone say that the bitmap is
  // whole.
  bool trusts_bits = false;
  // `has_trailer`: behind the last bit stands the filter's identity, and how far it has its source
  // (trailer.h).
  bool has_trailer = false;
};

// Returns whether filters of that format can be asked where they live.
bool is_live_format(const Format& format) noexcept;
// "redisson, gozero, ...", for messages.
std::string live_formats();

// `says_trust`: whether the location says trust=bits. `take_trust` also takes the setting out of
// the location. Both throw std::invalid_argument for any other trust.
bool says_trust(const Location& location);
bool take_trust(Location& location);

// `says_trailer`: whether the location says trailer=1. `take_trailer` also takes the setting out of
// the location. Both throw std::invalid_argument for any other trailer.
bool says_trailer(const Location& location);
bool take_trailer(Location& location);

// Throws std::invalid_argument for a filter that cannot have one; `name` is its place.
void require_trailer(const Format& format, const FilterParameters& parameters,
                     const std::string& name);

// The names of the keys of a filter of that format, whatever is there; nothing else is filled in.
LiveBitmap live_names(const Location& location, const Format& format);

// The fields of a system's configuration, of which the first `fixed` are what the bits depend on.
// None: it keeps no configuration.
struct ConfigFields {
  std::span<const std::string_view> names{};
  std::size_t fixed = 0;
};
ConfigFields config_fields(const Format& format);

// A filter whose configuration says `fields`, those that are there. Throws StoreError for a
// configuration that is none, std::invalid_argument for settings of the location.
LiveBitmap live_configured(const Location& location, const Format& format,
                           const FormatSettings& fields);

// Makes the filter of a system that keeps no configuration: the location's settings say its
// geometry, as they do for files. Throws std::invalid_argument.
LiveBitmap live_bitmap(const Location& location, const Format& format);

}  // namespace bloomery::redis
