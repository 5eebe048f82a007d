// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/replacement_file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

#include "bloomery/format/native/crc32c.h"
#include "bloomery/store/messages.h"
#include "bloomery/text/grouped.h"

namespace bloomery {
namespace {

constexpr mode_t kNewFile = 0666;
constexpr mode_t kOwnerOnly = 0600;
constexpr int kMostLinks = 40;  // as the kernel
constexpr std::size_t kMostNameBytes = 255;

std::filesystem::path folder_of(const std::filesystem::path& target) {
  return target.has_parent_path() ? target.parent_path() : std::filesystem::path(".");
}

// ".NAME.new"; a name too long for that is cut and told apart by its checksum.
std::filesystem::path temporary_name(const std::filesystem::path& target) {
  const std::string name = target.filename().string();
  std::string temporary = "." + name + ".new";
  if (temporary.size() > kMostNameBytes) {
    const std::uint32_t sum = crc32c(std::as_bytes(std::span(name)));
    temporary = "." + name.substr(0, 200) + "." + std::to_string(sum) + ".new";
  }
  return folder_of(target) / temporary;
}

// Writing past this limit would end the process with SIGXFSZ.
void check_file_size_limit(const std::filesystem::path& target, std::uint64_t byte_count) {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  if (byte_count <= limit.rlim_cur) return;
  throw_store_error(target, "cannot write " + grouped(byte_count) +
                                " bytes: this process may write files of " +
                                grouped(limit.rlim_cur) + " at most (ulimit -f)");
}

std::string own_path(const RegularFile& file) {
  return "/proc/self/fd/" + std::to_string(file.descriptor());
}

// Root saves the file of a service, which must read it afterwards; others may keep at most the
// group, and where not even that, the file is theirs, as ever.
void keep_owner(const RegularFile& file, Owner owner) {
  if (file.owner() == owner || fchown(file.descriptor(), owner.user, owner.group) == 0) return;
  if (errno == EPERM && fchown(file.descriptor(), static_cast<uid_t>(-1), owner.group) == 0) return;
  if (errno == EPERM || errno == EINVAL || errno == ENOSYS) return;
  throw_store_error(file.path(), "keep its owner", errno);
}

// 0 or why not.
int link_nameless(const RegularFile& file, const std::filesystem::path& name) {
  const int failed =
      linkat(AT_FDCWD, own_path(file).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW);
  return failed == 0 ? 0 : errno;
}

FileDescriptor open_folder(const std::filesystem::path& target) {
  FileDescriptor folder(::open(folder_of(target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open()) throw_store_error(target, "open its folder", errno);
  return folder;
}

}  // namespace

ReplacementFile::ReplacementFile(std::filesystem::path target, std::uint64_t byte_count,
                                 Permissions permissions)
    : target_(std::move(target)), folder_(folder_of(target_)), name_(temporary_name(target_)) {
  check_file_size_limit(target_, byte_count);
  folder_descriptor_ = open_folder(target_);
  const mode_t first_mode = permissions.owner_only ? kOwnerOnly : kNewFile;
  open_nameless(first_mode);
  if (!lock_) open_named(first_mode);
  try {
    if (permissions.owner) keep_owner(lock_->file(), *permissions.owner);
    // After the owner, whose change takes some of them away.
    std::optional<mode_t> mode = permissions.mode;
    if (permissions.owner_only) mode = mode.value_or(kOwnerOnly) & kOwnerOnly;
    if (mode && fchmod(lock_->file().descriptor(), *mode) != 0) {
      throw_store_error(target_, "set its permissions", errno);
    }
  } catch (...) {
    remove_name();
    throw;
  }
}

ReplacementFile::~ReplacementFile() {
  remove_name();
}

void ReplacementFile::open_nameless(mode_t mode) {
  FileDescriptor descriptor(::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode));
  if (!descriptor.is_open()) {
    // Not on this file system, or not in this kernel.
    if (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT || errno == EINVAL) return;
    throw_store_error(target_, "create a file in its folder", errno);
  }
  RegularFile file(std::move(descriptor), target_);
  // The file gets its name through /proc, which not everybody has.
  if (access(own_path(file).c_str(), F_OK) != 0) return;
  lock_ = WriterLock::of_new(std::move(file));
}

void ReplacementFile::open_named(mode_t mode) {
  const int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  FileDescriptor descriptor(::open(name_.c_str(), flags, mode));
  if (!descriptor.is_open()) throw_store_error(target_, "create a file in its folder", errno);
  RegularFile file(std::move(descriptor), target_);
  auto lock = WriterLock::of_new(std::move(file));
  if (!lock.file().is_named(name_)) {
    throw_store_error(target_, "another process is writing this file");
  }
  lock_ = std::move(lock);
  has_name_ = true;
  // A writer that was killed may have left bytes in it.
  if (ftruncate(lock_->file().descriptor(), 0) != 0) {
    const int error_number = errno;
    remove_name();
    throw_store_error(target_, "empty its temporary file", error_number);
  }
}

void ReplacementFile::remove_name() noexcept {
  if (!has_name_) return;
  unlink(name_.c_str());
  has_name_ = false;
}

void ReplacementFile::append(std::span<const std::byte> bytes) {
  lock_->file().write(bytes, size_);
  size_ += bytes.size();
}

std::optional<WriterLock> ReplacementFile::publish_new() {
  lock_->file().sync();
  int error_number = 0;
  if (!has_name_) {
    error_number = link_nameless(lock_->file(), target_);
  } else if (renameat2(AT_FDCWD, name_.c_str(), AT_FDCWD, target_.c_str(), RENAME_NOREPLACE) == 0) {
    has_name_ = false;
  } else {
    error_number = errno;
    if (error_number == EINVAL || error_number == ENOSYS) {
      error_number = link(name_.c_str(), target_.c_str()) == 0 ? 0 : errno;
      if (error_number == 0) remove_name();
    }
  }
  if (error_number == EEXIST) return std::nullopt;
  if (error_number != 0) throw_store_error(target_, "give the new file its name", error_number);
  return hand_over();
}

WriterLock ReplacementFile::publish_over() {
  lock_->file().sync();
  if (!has_name_) {
    int error_number = link_nameless(lock_->file(), name_);
    if (error_number == EEXIST) {
      // Left by a writer that was killed here: we hold the lock, so nobody else uses it.
      unlink(name_.c_str());
      error_number = link_nameless(lock_->file(), name_);
    }
    if (error_number != 0) throw_store_error(target_, "name its new version", error_number);
    has_name_ = true;
  }
  if (rename(name_.c_str(), target_.c_str()) != 0) {
    throw_store_error(target_, "replace it", errno);
  }
  has_name_ = false;
  return hand_over();
}

WriterLock ReplacementFile::hand_over() {
  // Some file systems cannot sync a folder, and say so.
  if (fsync(folder_descriptor_.number()) != 0 && errno != EINVAL) {
    throw_store_error(
        target_, "be sure that it stays: it is in place, but syncing its folder failed", errno);
  }
  return std::move(*lock_);
}

std::filesystem::path follow_links(std::filesystem::path path) {
  for (int links = 0; links < kMostLinks; ++links) {
    std::error_code not_a_link;
    const auto next = std::filesystem::read_symlink(path, not_a_link);
    if (not_a_link) return path;
    path = next.is_absolute() ? next : path.parent_path() / next;
  }
  throw_store_error(path, "open it", ELOOP);
}

void require_folder(const std::filesystem::path& target) {
  const std::filesystem::path file = follow_links(target);
  const FileDescriptor folder = open_folder(file);
  if (faccessat(folder.number(), ".", W_OK | X_OK, AT_EACCESS) != 0) {
    throw_store_error(file, "create a file in its folder", errno);
  }
}

}  // namespace bloomery
