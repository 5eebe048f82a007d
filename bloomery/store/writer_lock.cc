// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/writer_lock.h"

#include <sys/file.h>

#include <cerrno>

#include "bloomery/store/messages.h"

namespace bloomery {
namespace {

bool try_lock(const RegularFile& file, int how) {
  while (flock(file.descriptor(), how | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return false;
    if (errno != EINTR) throw_store_error(file.path(), "lock it", errno);
  }
  return true;
}

void lock(const RegularFile& file, int how = LOCK_EX) {
  if (!try_lock(file, how)) throw_busy(file.path());
}

}  // namespace

// A child that was just forked may have the descriptor still.
WriterLock::~WriterLock() {
  if (file_.descriptor() >= 0 && process_ == process_number()) flock(file_.descriptor(), LOCK_UN);
}

std::optional<WriterLock> WriterLock::of_existing(const std::filesystem::path& path) {
  for (int attempt = 0; attempt < kLockAttempts; ++attempt) {
    auto file = RegularFile::open_existing(path, RegularFile::Access::read_write);
    if (!file) return std::nullopt;
    lock(*file);
    // Between open and lock another writer may have put a new file in its place.
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
  lock(*file, LOCK_SH);
  flock(file->descriptor(), LOCK_UN);
}

WriterLock WriterLock::of_new(RegularFile file) {
  lock(file);
  return WriterLock(std::move(file));
}

std::optional<RegularFile> open_beside_others(const std::filesystem::path& path,
                                              RegularFile::Access access) {
  for (int attempt = 0; attempt < kLockAttempts; ++attempt) {
    auto file = RegularFile::open(path, access);
    if (!try_lock(file, LOCK_SH)) return std::nullopt;
    if (file.is_named(path)) return file;
  }
  throw_busy(path);
}

bool is_held(const std::filesystem::path& path) {
  const auto file = RegularFile::open(path, RegularFile::Access::read);
  if (!try_lock(file, LOCK_EX)) return true;
  flock(file.descriptor(), LOCK_UN);  // a child of fork() may have it for a moment
  return false;
}

}  // namespace bloomery
