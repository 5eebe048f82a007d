#pragma once

#include <filesystem>
#include <optional>

#include "bloomery/store/regular_file.h"

namespace bloomery {

// The right to write one file, held by at most one process (flock on the file itself). Nobody
// waits: who comes second gets a StoreError. The kernel frees the lock of a process that died.
// Readers neither take it nor mind it.
class WriterLock {
 public:
  // Nothing where there is no such file. Throws StoreError where another writer has it, or where
  // this process may not write it.
  static std::optional<WriterLock> of_existing(const std::filesystem::path& path);
  static WriterLock of(const std::filesystem::path& path);

  // Locks a file that nobody else can know yet, before it gets the name.
  static WriterLock of_new(RegularFile file);

  const RegularFile& file() const noexcept { return file_; }

 private:
  explicit WriterLock(RegularFile file) noexcept : file_(std::move(file)) {}

  RegularFile file_;
};

}  // namespace bloomery
