// SPDX-License-Identifier: Apache-2.0
#include "bloomery/open/place_location.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "bloomery/redis/client/location.h"
#include "bloomery/redis/places/live_bitmap.h"

namespace bloomery {

const FileLocation& PlaceLocation::need_file(std::string_view why) const {
  if (is_live()) throw std::invalid_argument(text() + ": " + std::string(why));
  return file;
}

const FileLocation& PlaceLocation::need_own_file(std::string_view why) const {
  if (format != nullptr) throw std::invalid_argument(text() + ": " + std::string(why));
  return need_file(why);
}

namespace {

constexpr std::string_view kCopied = "copy:";

}  // namespace

bool is_live_location(std::string_view text) noexcept {
  if (text.starts_with(kCopied)) text.remove_prefix(kCopied.size());
  return redis::is_redis_location(text.substr(std::min(text.find(':') + 1, text.size())));
}

PlaceLocation parse_place_location(std::string_view text) {
  if (text.starts_with(kCopied) && is_live_location(text)) {
    PlaceLocation location = parse_place_location(text.substr(kCopied.size()));
    location.is_copied = true;
    location.name = std::string(kCopied) + location.name;
    return location;
  }
  if (redis::is_redis_location(text)) {
    throw std::invalid_argument(
        "the location of the server does not say whose filter is there; FORMAT:redis://..., with "
        "one of " +
        redis::live_formats() + ", bitmap, bf, bloom");
  }
  if (!is_live_location(text)) return PlaceLocation(parse_file_location(text));
  const std::string word(text.substr(0, text.find(':')));
  const std::string_view rest = text.substr(word.size() + 1);
  PlaceLocation location;
  if (word == "bf" || word == "bloom") {
    location.dialect = word == "bf" ? redis::Dialect::bf : redis::Dialect::bloom;
    location.format = find_format("redisbloom");
  } else if (word != "bitmap") {
    location.format = find_format(word);
    if (location.format == nullptr) {
      throw std::invalid_argument(word + ": no format is called so; in servers live " +
                                  redis::live_formats() + ", bitmap, bf, bloom");
    }
    if (!redis::is_live_format(*location.format)) {
      throw std::invalid_argument(word + ": not a format that lives in a server; those are " +
                                  redis::live_formats() + ", bitmap, bf, bloom");
    }
  }
  location.server = rest;
  redis::Location server = redis::parse_location(rest);
  redis::take_trust(server);
  if (location.format != nullptr && !location.dialect) {
    location.has_trailer = redis::take_trailer(server);
  }
  location.name = word + ":" + server.text();
  location.settings = std::move(server.settings);
  return location;
}

}  // namespace bloomery
