// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

#include "bloomery/store/messages.h"
#include "bloomery/store/regular_file.h"

namespace bloomery {

// ChangedError: the file is not the one that was there before.
struct ChangedError : BusyError {
  using BusyError::BusyError;
};

// The version of a native file that a path names at a moment, or that there is none. Whoever reads
// a filter elsewhere and writes it over the file later replaces no newer one, if the version that
// was there before the reading is still there when he has the file's lock (SaveOptions::over).
class FileVersion {
 public:
  // Looks at the file; links are followed. Throws StoreError where it cannot be opened.
  explicit FileVersion(const std::filesystem::path& path);

  // Returns whether there was a file.
  bool exists() const noexcept { return file_.has_value(); }

  // Throws ChangedError where the path names another file by now, or one that was made live, made
  // whole or brought in step meanwhile. Keys that others insert into a live file are not looked at.
  void require_there() const;

 private:
  bool is_there() const;

  std::filesystem::path path_;
  std::optional<RegularFile> file_;  // open, so that no other file gets its number
  std::vector<std::byte> head_;
};

}  // namespace bloomery
