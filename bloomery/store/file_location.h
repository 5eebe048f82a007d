// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "bloomery/format/format.h"
#include "bloomery/store/native_file.h"

namespace bloomery {

// FileLocation: where a filter is, in one word of a command line.
//   users.bloom                         a file of our own
//   guava:users.bin                     one of another system's format; formats() has their names
//   redisson:users.bin?legacy=1         with what its bytes do not say
// A file whose name has a colon is written with its folder: ./odd:name.
struct FileLocation {
  FileLocation() = default;
  explicit FileLocation(std::filesystem::path file) : path(std::move(file)) {}  // our own

  const Format* format = nullptr;  // null: our own
  std::filesystem::path path;      // of the file
  FormatSettings settings{};       // those of the location alone

  // The path of FILE.config, which says what the bytes do not say.
  std::filesystem::path config_path() const {
    std::filesystem::path beside = path;
    return beside += ".config";
  }

  // The location as it was written but for the settings, for messages.
  std::string text() const;
};

// Throws std::invalid_argument for a format or a setting that is none.
FileLocation parse_file_location(std::string_view text);

// Load and save as those of native_file.h do. A file of another system's format holds no notes, and
// the location's settings are not looked at where it is saved: the filter has its own, which are
// written to FILE.config where the bytes do not say them. save() throws IncompatibleError for a
// filter whose bits mean other keys in that format.
AnyFilter load(const FileLocation& location);
void save(const FilterContents& contents, const FileLocation& location,
          const SaveOptions& options = {});

}  // namespace bloomery
