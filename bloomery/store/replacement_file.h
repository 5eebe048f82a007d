// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

#include "bloomery/store/writer_lock.h"

namespace bloomery {

// A file in the making that takes the place of `target` in one step, or leaves no trace. It has no
// name until then where the file system can do that (O_TMPFILE), so that not even SIGKILL leaves
// anything behind; elsewhere it is ".NAME.new", which the next writer clears away.
//
// The new file is locked from the start: who publishes it goes on holding the lock of the file.
class ReplacementFile {
 public:
  struct Permissions {
    std::optional<std::uint32_t> mode;  // none: what the process gives to new files
    std::optional<os::Owner> owner;     // none: as of new files. Kept where this process may
    bool owner_only = false;
  };

  // Throws StoreError where the folder takes no file, or the process may not write one of
  // `byte_count` bytes.
  ReplacementFile(std::filesystem::path target, std::uint64_t byte_count, Permissions permissions);
  ReplacementFile(const ReplacementFile&) = delete;
  ReplacementFile& operator=(const ReplacementFile&) = delete;
  ~ReplacementFile();

  void append(std::span<const std::byte> bytes);

  // Sync, take the target's name, sync the folder. publish_new returns nothing, and may be followed
  // by publish_over, where the target exists by now; publish_over takes the target, which
  // the caller has locked, and after it nobody has a use for that lock.
  std::optional<WriterLock> publish_new();
  WriterLock publish_over(const RegularFile& replaced);

 private:
  void open_nameless(std::uint32_t mode);
  void open_named(std::uint32_t mode);
  void remove_name() noexcept;
  WriterLock hand_over();

  std::filesystem::path target_;
  std::filesystem::path folder_;
  std::filesystem::path name_;  // while the file is made or swapped in
  bool has_name_ = false;
  FileDescriptor folder_descriptor_;
  std::optional<WriterLock> lock_;
  std::uint64_t size_ = 0;
};

// Throws StoreError where the folder of a file is not there, or takes no new files of this process:
// before the keys of a long load are read.
void require_folder(const std::filesystem::path& target);

// The file that a path means in the end: symbolic links are followed, to a file that need not
// exist. Throws StoreError for a loop.
std::filesystem::path follow_links(std::filesystem::path path);

}  // namespace bloomery
