// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "bloomery/redis/places/dialect.h"
#include "bloomery/store/file_location.h"

namespace bloomery {

// PlaceLocation: where a filter is, in a file or in a server, as one word of a command line.
//   users.bloom                         a file of our own
//   guava:users.bin                     one of another system's format
//   redisson:redis://127.0.0.1#users    another system's filter where it lives (docs/redis.md)
//   bitmap:redis://127.0.0.1#users      one of ours, in a string of a server
//   copy:bloom:redis://127.0.0.1#users  one in a server, with a copy in this process
//   copy:bloom:redis://127.0.0.1?from=FILE#users
//                                       that copy, begun from a file that bloomery pull wrote
//   bf:redis://127.0.0.1#users          one that its server asks itself, by BF.*; or bloom: by
//   BLOOM.*
struct PlaceLocation {
  PlaceLocation() = default;
  explicit PlaceLocation(FileLocation where)
      : format(where.format), file(std::move(where)), settings(file.settings) {}

  const Format* format = nullptr;  // null: our own
  FileLocation file{};             // of a filter in a file
  FormatSettings settings{};       // what neither bytes nor server say
  std::string server{};            // of one in a server: what follows FORMAT:, with its passwords
  std::string name{};              // and its location without them

  std::optional<redis::Dialect> dialect{};  // of one that its server asks itself

  bool is_copied = false;     // copy:LOCATION: asked in this process, as far as its copy knows
  std::string copied_from{};  // from=FILE of copy:LOCATION, the file from which the copy begins

  bool has_trailer = false;  // trailer=1: another system's bitmap that has a watermark

  bool is_live() const noexcept { return !server.empty(); }
  // Returns whether the location is a filter of ours in a string of a server.
  bool is_own_bitmap() const noexcept { return is_live() && format == nullptr; }
  // Returns whether keys go to the location, and no bits: its server knows no filter of ours.
  bool takes_keys_alone() const noexcept { return dialect == redis::Dialect::bf; }
  // Returns whether what is made at the location may be of any kind of ours.
  bool has_own_kinds() const noexcept {
    return format == nullptr || dialect == redis::Dialect::bloom;
  }
  // Returns whether the filter is another system's, which knows nothing of ours.
  bool is_foreign() const noexcept { return format != nullptr && !dialect; }
  // The location for messages: as it was written, without settings and passwords.
  std::string text() const { return is_live() ? name : file.text(); }
  // Throws std::invalid_argument, "LOCATION: WHY", for a filter in a server.
  const FileLocation& need_file(std::string_view why) const;
  // Throws std::invalid_argument, "LOCATION: WHY", for what is no file of our own.
  const FileLocation& need_own_file(std::string_view why) const;
};

// Returns whether the text is a location in a server: FORMAT:redis://... .
bool is_live_location(std::string_view text) noexcept;

// The one parser of filters' locations. Throws std::invalid_argument, with what is allowed.
PlaceLocation parse_place_location(std::string_view text);

}  // namespace bloomery
