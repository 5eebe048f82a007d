// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "bloomery/os/own_process.h"
#include "bloomery/store/messages.h"
#include "bloomery/store/regular_file.h"

namespace bloomery {

// How often a writer begins anew because another one put a new file in the place of its own.
inline constexpr int kLockAttempts = 100;

// The right to write one file, held by at most one process (os/file_lock.h, of the file itself).
// Nobody waits: who comes second gets a BusyError. The kernel frees the lock of a process that
// died. A child of fork() has no part in it, nor in the file. Readers neither take it nor mind it.
class WriterLock {
 public:
  // Locks a file; nothing if there is no such file. Throws BusyError if another writer has it, and
  // StoreError if this process may not write it.
  static std::optional<WriterLock> of_existing(const std::filesystem::path& path);
  static WriterLock of(const std::filesystem::path& path);

  // Throws BusyError where a writer has it now, alone. Needs no right to write it.
  static void require_free(const std::filesystem::path& path);

  // Locks a file that nobody else can know yet, before it gets the name.
  static WriterLock of_new(RegularFile file);

  WriterLock(WriterLock&&) noexcept = default;
  WriterLock& operator=(WriterLock&&) noexcept = default;
  ~WriterLock();

  const RegularFile& file() const noexcept { return file_; }

 private:
  explicit WriterLock(RegularFile file) : file_(std::move(file)), unshared_(file_.descriptor()) {}

  // In this order: a number that was closed may be somebody else's before it is forgotten here.
  RegularFile file_;
  UnsharedDescriptor unshared_;
  std::uint64_t process_ = process_number();
};

// The right to set bits of a file beside any number of others who have it; it lasts as long as the
// file, or its descriptor in a child of fork(), is open, and nobody gets a WriterLock meanwhile.
// Nothing where a writer has it alone now. Throws as WriterLock::of.
std::optional<RegularFile> open_beside_others(const std::filesystem::path& path,
                                              RegularFile::Access access);

// Returns whether anybody has the file locked, shared or alone, now. Throws StoreError where it
// cannot be opened.
bool is_held(const std::filesystem::path& path);

}  // namespace bloomery
