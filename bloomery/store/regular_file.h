// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

#include "bloomery/os/file_descriptor.h"
#include "bloomery/os/file_status.h"
#include "bloomery/os/open_file.h"

namespace bloomery {

// An open file that is a file: directories, pipes, sockets and devices are refused by name, and
// opening never waits for one. Interrupted and partial reads and writes go on; every other failure
// is a StoreError that names file, step and reason.
class RegularFile {
 public:
  using Access = os::Access;

  // Throws StoreError where the file cannot be opened.
  static RegularFile open(const std::filesystem::path& path, Access access);
  // Opens a file as open() does, but returns nothing where there is no such file.
  static std::optional<RegularFile> open_existing(const std::filesystem::path& path, Access access);

  // Takes a descriptor that was opened otherwise.
  RegularFile(FileDescriptor descriptor, std::filesystem::path path);

  // Fills `to` from `offset` on. FormatError where the file ends before.
  void read(std::span<std::byte> to, std::uint64_t offset) const;
  void write(std::span<const std::byte> bytes, std::uint64_t offset) const;

  // Syncs the file to the disk. A failure is final: what was lost stays lost, and a second call
  // could not know.
  void sync() const;

  // True while `path` still names this very file.
  bool is_named(const std::filesystem::path& path) const noexcept;

  const std::filesystem::path& path() const noexcept { return path_; }
  int descriptor() const noexcept { return descriptor_.number(); }
  std::uint64_t size() const noexcept { return size_; }  // when it was opened
  os::FileStatus status() const;                         // now

 private:
  FileDescriptor descriptor_;
  std::filesystem::path path_;
  std::uint64_t size_ = 0;
  os::FileIdentity identity_;
};

}  // namespace bloomery
