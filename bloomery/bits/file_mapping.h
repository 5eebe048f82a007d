#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "bloomery/bits/file_descriptor.h"
#include "bloomery/bits/lost_pages.h"

namespace bloomery {

// A whole file in memory: nothing is read before it is touched, and the kernel may drop what it can
// read again.
class FileMapping {
 public:
  enum class Changes {
    stay_here,  // in this process's memory, a page copied at its first change
    go_to_file,
  };

  // Duplicates `descriptor`; the file has `byte_count` bytes. Throws std::system_error.
  FileMapping(int descriptor, std::uint64_t byte_count, Changes changes, bool survive_truncation);
  FileMapping(const FileMapping&) = delete;
  FileMapping& operator=(const FileMapping&) = delete;
  ~FileMapping();

  std::span<std::byte> bytes() const noexcept { return bytes_; }

  // Waits until all changes are on the disk. Throws std::system_error; then some are not.
  void sync() const;

  // True where parts of the file were lost while it was mapped (see lost_pages.h), or its length is
  // not what it was.
  bool is_damaged() const noexcept;

 private:
  FileDescriptor descriptor_;
  std::span<std::byte> bytes_;
  std::optional<LostPages> lost_pages_;
};

}  // namespace bloomery
