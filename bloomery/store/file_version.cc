// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/file_version.h"

#include <string>

#include "bloomery/format/native/file_layout.h"
#include "bloomery/store/native_file_access.h"
#include "bloomery/store/replacement_file.h"

namespace bloomery {
namespace {

// All that a change in place changes before the body: flags, counts, and notes that move.
std::vector<std::byte> head_of(const RegularFile& file) {
  return read_head(file, kBodyAlignment);
}

}  // namespace

FileVersion::FileVersion(const std::filesystem::path& path)
    : path_(path),
      file_(RegularFile::open_existing(follow_links(path), RegularFile::Access::read)) {
  if (file_) head_ = head_of(*file_);
}

bool FileVersion::is_there() const {
  const auto now = RegularFile::open_existing(follow_links(path_), RegularFile::Access::read);
  if (!now || !file_) return !now && !file_;
  return file_->is_named(now->path()) && head_of(*now) == head_;
}

void FileVersion::require_there() const {
  if (is_there()) return;
  throw ChangedError(path_.string() + ": another process wrote it meanwhile");
}

}  // namespace bloomery
