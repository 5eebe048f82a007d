// SPDX-License-Identifier: Apache-2.0
#include "bloomery/open/place_location.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "bloomery/redis/client/location.h"
#include "bloomery/redis/places/live_bitmap.h"
#include "bloomery/text/percent.h"

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

// Takes name=value, and one of its marks, out of the settings of a server's location. Returns the
// value's bytes; empty: there is no such setting. Throws std::invalid_argument for an empty value,
// and for two.
std::string take_setting(std::string& text, std::string_view name) {
  std::string value;
  const std::size_t begin = std::min(text.find('?'), text.find('#'));
  for (std::size_t at = begin; at < std::min(text.find('#'), text.size());) {
    const std::size_t end = std::min({text.find('&', at + 1), text.find('#'), text.size()});
    const std::string_view setting = std::string_view(text).substr(at + 1, end - at - 1);
    if (!setting.starts_with(name) || !setting.substr(name.size()).starts_with('=')) {
      at = end;
      continue;
    }
    const std::string_view said = setting.substr(name.size() + 1);
    if (said.empty() || !value.empty()) {
      throw std::invalid_argument(std::string(kCopied) + " " + std::string(name) +
                                  (said.empty() ? "= names no file" : "= is said twice"));
    }
    value = percent_decode(said);
    // The ? stays where another setting follows it.
    const bool is_first = text[at] == '?';
    const bool has_next = end < text.size() && text[end] == '&';
    text.erase(at + (is_first && has_next ? 1 : 0), end - at);
  }
  return value;
}

}  // namespace

bool is_live_location(std::string_view text) noexcept {
  if (text.starts_with(kCopied)) text.remove_prefix(kCopied.size());
  return redis::is_redis_location(text.substr(std::min(text.find(':') + 1, text.size())));
}

PlaceLocation parse_place_location(std::string_view text) {
  if (text.starts_with(kCopied) && is_live_location(text)) {
    std::string of_server(text.substr(kCopied.size()));
    std::string from = take_setting(of_server, "from");
    PlaceLocation location = parse_place_location(of_server);
    location.is_copied = true;
    location.copied_from = std::move(from);
    if (!location.copied_from.empty() && location.is_foreign()) {
      throw std::invalid_argument(std::string(kCopied) + location.name +
                                  ": from= is for filters of ours, of bitmap: and bloom:");
    }
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
