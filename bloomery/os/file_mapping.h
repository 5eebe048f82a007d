// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "bloomery/os/file_descriptor.h"
#include "bloomery/os/lost_pages.h"
#include "bloomery/os/own_process.h"
#include "bloomery/os/truncation_mark.h"

namespace bloomery {

// A whole file in memory: nothing is read before it is touched, a page at a time, and the kernel
// may drop what it can read again. Who wants all of it is quicker reading the file.
class FileMapping {
 public:
  enum class Changes {
    stay_here,  // in this process's memory, a page copied at its first change
    go_to_file,
    go_to_file_of_all,  // and children of fork() make changes as well
  };

  // Duplicates `descriptor`; the file has `byte_count` bytes. Throws std::system_error.
  FileMapping(int descriptor, std::uint64_t byte_count, Changes changes, bool survive_truncation);
  FileMapping(const FileMapping&) = delete;
  FileMapping& operator=(const FileMapping&) = delete;
  ~FileMapping();

  std::span<std::byte> bytes() const noexcept { return bytes_; }

  // Waits until all changes are on the disk. Throws std::system_error; then some are not.
  void sync() const { sync(bytes_.size()); }
  // Writes the changes of the first `count` bytes to the disk, and returns when they are there.
  void sync(std::uint64_t count) const;

  // Reads from the file, not from memory: so no signal tells of a bad disk or of a file that ended.
  // False where not all of `to` could be read.
  bool read(std::span<std::byte> to, std::uint64_t offset) const noexcept;
  // Lets the system fetch these bytes in one go.
  void will_read(std::uint64_t offset, std::uint64_t count) const noexcept;

  // True once the file was truncated by whole pages, though it may have grown again. Costs a load.
  bool was_truncated() const noexcept { return !mark_->is_intact(); }

  // True once a page was replaced by one of our own (see lost_pages.h): what is written there goes
  // to no file. Costs a load.
  bool has_lost_pages() const noexcept { return lost_pages_ && lost_pages_->any(); }

  // True where parts of the file were lost while it was mapped (see lost_pages.h), or its length is
  // not what it was, even for a while. Costs a system call.
  bool is_damaged() const noexcept;

 private:
  FileDescriptor descriptor_;
  std::optional<UnsharedDescriptor>
      unshared_;  // where changes go to the file, whose lock it shares
  std::span<std::byte> bytes_;
  std::optional<LostPages> lost_pages_;
  std::optional<TruncationMark> mark_;
};

}  // namespace bloomery
