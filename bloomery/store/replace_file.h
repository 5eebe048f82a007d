// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "bloomery/store/replacement_file.h"

// How every file is put in its place: locked, whole, in one step.
namespace bloomery {

// Puts a file that `fill` writes in the place of `target`, whose lock the caller holds, or none
// where it did not exist. Returns the new file's lock. Nothing: somebody created the target
// meanwhile.
std::optional<WriterLock> replace_file(const std::filesystem::path& target,
                                       std::uint64_t byte_count, bool owner_only,
                                       const std::optional<WriterLock>& replaced,
                                       const std::function<void(ReplacementFile&)>& fill);

// Returns the file of a lock; null where there is none.
inline const RegularFile* file_of(const std::optional<WriterLock>& lock) noexcept {
  return lock ? &lock->file() : nullptr;
}

// Replaces a file as replace_file() does, but for its lock, which the caller need not have; null:
// there is none.
std::optional<WriterLock> replace_unlocked(const std::filesystem::path& target,
                                           std::uint64_t byte_count, bool owner_only,
                                           const RegularFile* replaced,
                                           const std::function<void(ReplacementFile&)>& fill);

// Calls write(target, lock of the file there, if any) until it has written: links are followed, and
// whoever creates or replaces the file meanwhile is not overwritten unseen. Throws StoreError where
// the file exists and `replace` is false.
using WriteTarget = std::function<std::optional<WriterLock>(
    const std::filesystem::path& target, const std::optional<WriterLock>& replaced)>;
void write_or_replace(const std::filesystem::path& path, bool replace, const WriteTarget& write);

}  // namespace bloomery
