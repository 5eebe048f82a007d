// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/writer_lock.h"

#include <cerrno>

#include "bloomery/os/file_lock.h"
#include "bloomery/store/messages.h"

namespace bloomery {
namespace {

using os::LockSort;

bool try_lock(const RegularFile& file, LockSort sort) {
  while (!os::try_lock(file.descriptor(), sort)) {
    if (errno == EWOULDBLOCK) return false;
    if (errno != EINTR) throw_store_error(file.path(), "lock it", errno);
  }
  return true;
}

void lock(const RegularFile& file, LockSort sort = LockSort::exclusive) {
  if (!try_lock(file, sort)) throw_busy(file.path());
}

}  // namespace

// A child that was just forked may have the descriptor still.
WriterLock::~WriterLock() {
  if (file_.descriptor() >= 0 && process_ == process_number()) os::unlock(file_.descriptor());
}

std::optional<WriterLock> WriterLock::of_existing(const std::filesystem::path& path) {
  for (int attempt = 0; attempt < kLockAttempts; ++attempt) {
    auto file = RegularFile::open_existing(path, RegularFile::Access::read_write);
    if (!file) return std::nullopt;
    lock(*file);
    // A new file of another writer may have come in its place between open and lock.
    if (file->is_named(path)) return WriterLock(std::move(*file));
  }
  throw_busy(path);
}

WriterLock WriterLock::of(const std::filesystem::path& path) {
  auto lock = of_existing(path);
  if (!lock) throw_store_error(path, "open it for writing", ENOENT);
  return std::move(*lock);
}

void WriterLock::require_free(const std::filesystem::path& path) {
  const auto file = RegularFile::open_existing(path, RegularFile::Access::read);
  if (!file) return;
  lock(*file, LockSort::shared);
  os::unlock(file->descriptor());
}

WriterLock WriterLock::of_new(RegularFile file) {
  lock(file);
  return WriterLock(std::move(file));
}

std::optional<RegularFile> open_beside_others(const std::filesystem::path& path,
                                              RegularFile::Access access) {
  for (int attempt = 0; attempt < kLockAttempts; ++attempt) {
    auto file = RegularFile::open(path, access);
    if (!try_lock(file, LockSort::shared)) return std::nullopt;
    if (file.is_named(path)) return file;
  }
  throw_busy(path);
}

bool is_held(const std::filesystem::path& path) {
  const auto file = RegularFile::open(path, RegularFile::Access::read);
  if (!try_lock(file, LockSort::exclusive)) return true;
  os::unlock(file.descriptor());  // a child of fork() may have it for a moment
  return false;
}

}  // namespace bloomery
