// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/replace_file.h"

#include "bloomery/store/messages.h"

namespace bloomery {
std::optional<WriterLock> replace_file(const std::filesystem::path& target,
                                       std::uint64_t byte_count, bool owner_only,
                                       const std::optional<WriterLock>& replaced,
                                       const std::function<void(ReplacementFile&)>& fill) {
  return replace_unlocked(target, byte_count, owner_only, file_of(replaced), fill);
}

std::optional<WriterLock> replace_unlocked(const std::filesystem::path& target,
                                           std::uint64_t byte_count, bool owner_only,
                                           const RegularFile* replaced,
                                           const std::function<void(ReplacementFile&)>& fill) {
  ReplacementFile::Permissions permissions;
  permissions.owner_only = owner_only;
  if (replaced != nullptr) {
    const os::FileStatus before = replaced->status();
    permissions.mode = before.permissions;
    permissions.owner = before.owner;
  }
  ReplacementFile file(target, byte_count, permissions);
  fill(file);
  if (replaced == nullptr) return file.publish_new();
  if (!replaced->is_named(target)) {
    throw_store_error(target, "somebody moved, removed or replaced it while it was being written");
  }
  return file.publish_over(*replaced);
}

void write_or_replace(const std::filesystem::path& path, bool replace, const WriteTarget& write) {
  const auto target = follow_links(path);
  for (int attempt = 0; attempt < kLockAttempts; ++attempt) {
    const auto lock = WriterLock::of_existing(target);
    if (lock && !replace) throw_exists(path);
    if (write(target, lock)) return;
    if (!replace) throw_exists(path);
  }
  throw_busy(path);
}

}  // namespace bloomery
