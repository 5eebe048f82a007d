// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/file_location.h"

#include <algorithm>
#include <stdexcept>

#include "bloomery/os/path_text.h"
#include "bloomery/text/secrets.h"

namespace bloomery {
namespace {

bool is_scheme(std::string_view word) noexcept {
  return !word.empty() && std::ranges::all_of(word, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

// HOST:PORT[/...]#KEY, of a server.
bool is_server(std::string_view path) noexcept {
  const std::size_t colon = path.find(':');
  if (colon == std::string_view::npos || path.find('#') == std::string_view::npos) return false;
  if (path.substr(0, colon).find('/') != std::string_view::npos) return false;
  const std::string_view port = path.substr(colon + 1);
  const std::size_t end = std::min(port.find_first_not_of("0123456789"), port.size());
  return end > 0 && end < port.size() &&
         std::string_view("/?#,").find(port[end]) != std::string_view::npos;
}

// Returns whether a path is a server without its scheme, or has a scheme without its slashes.
bool forgets_scheme(std::string_view path) noexcept {
  constexpr std::string_view kWords = "redis: rediss: valkey: unix:";
  const std::size_t colon = path.find(':');
  if (colon == std::string_view::npos || path.find('#') == std::string_view::npos) return false;
  return is_server(path) || kWords.find(path.substr(0, colon + 1)) != std::string_view::npos;
}

const Format& format_named(std::string_view name, std::string_view location) {
  if (const Format* const format = find_format(name)) return *format;
  if (name == "bitmap" || name == "bf" || name == "bloom") {
    throw std::invalid_argument(without_secrets(location) + ": " + std::string(name) +
                                ": is for filters in servers: " + std::string(name) +
                                ":redis://HOST:PORT#KEY; a file of that name is ./" +
                                without_secrets(location));
  }
  std::string names;
  for (const Format* const each : formats()) {
    names += (names.empty() ? "" : ", ") + std::string(each->name);
  }
  const std::string typed = without_secrets(location);
  throw std::invalid_argument(typed + ": no format is called \"" + std::string(name) +
                              "\"; there are " + names + "; a file of that name is ./" + typed);
}

void add_setting(FormatSettings& settings, std::string_view pair, std::string_view location) {
  const std::size_t equals = pair.find('=');
  const std::string name(pair.substr(0, equals));
  if (equals == std::string_view::npos || name.empty()) {
    throw std::invalid_argument(without_secrets(location.substr(0, location.rfind('?'))) +
                                ": something behind the ? is no setting; those are name=value, "
                                "with & between");
  }
  if (!settings.try_emplace(name, pair.substr(equals + 1)).second) {
    throw std::invalid_argument(without_secrets(location) + ": " + name + " is set twice");
  }
}

}  // namespace

std::string FileLocation::text() const {
  return format == nullptr ? path.string() : std::string(format->name) + ":" + path.string();
}

FileLocation parse_file_location(std::string_view text) {
  if (text.empty()) throw std::invalid_argument("which file? Its name is empty");
  if (text == "-") {
    throw std::invalid_argument(
        "- is no file: a filter is not read from standard input or written to standard output; a "
        "file of that name is ./-");
  }
  if (is_server(text)) {
    throw std::invalid_argument(
        without_secrets(text) + ": is that a server? FORMAT:redis://" + without_secrets(text) +
        ", with bitmap for one of our own; a file of that name is ./" + without_secrets(text));
  }
  FileLocation location;
  const std::size_t colon = text.find(':');
  const bool is_drive = os::kHasDrives && colon == 1;
  if (colon == std::string_view::npos || is_drive || !is_scheme(text.substr(0, colon))) {
    location.path = os::path_of(text);
    return location;
  }
  location.format = &format_named(text.substr(0, colon), text);
  std::string_view rest = text.substr(colon + 1);
  if (forgets_scheme(rest)) {
    const std::string name(location.format->name);
    throw std::invalid_argument(without_secrets(text) + ": is that a server? " + name +
                                ":redis://" + without_secrets(rest) + "; a file of that name is " +
                                name + ":./" + without_secrets(rest));
  }
  const std::size_t mark = rest.rfind('?');
  if (mark != std::string_view::npos) {
    std::string_view pairs = rest.substr(mark + 1);
    rest = rest.substr(0, mark);
    while (!pairs.empty()) {
      const std::size_t end = std::min(pairs.find('&'), pairs.size());
      add_setting(location.settings, pairs.substr(0, end), text);
      pairs.remove_prefix(std::min(end + 1, pairs.size()));
    }
  }
  if (rest.empty()) {
    throw std::invalid_argument(without_secrets(text) + ": which file? " +
                                std::string(location.format->name) + ":FILE");
  }
  location.path = os::path_of(rest);
  return location;
}

}  // namespace bloomery
