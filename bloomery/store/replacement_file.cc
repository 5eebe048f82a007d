// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/replacement_file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

#include "bloomery/format/native/crc32c.h"
#include "bloomery/os/disk_space.h"
#include "bloomery/os/file_bytes.h"
#include "bloomery/os/file_name.h"
#include "bloomery/os/file_rights.h"
#include "bloomery/os/open_file.h"
#include "bloomery/os/path_text.h"
#include "bloomery/store/messages.h"
#include "bloomery/text/grouped.h"

namespace bloomery {
namespace {

constexpr std::uint32_t kNewFile = 0666;
constexpr std::uint32_t kOwnerOnly = 0600;
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
    std::size_t kept = 200;
    while (kept > 0 && (static_cast<unsigned char>(name[kept]) & 0xc0) == 0x80) --kept;  // UTF-8
    temporary = "." + name.substr(0, kept) + "." + std::to_string(sum) + ".new";
  }
  return folder_of(target) / os::path_of(temporary);
}

// Writing past this limit would end the process with SIGXFSZ.
void check_file_size_limit(const std::filesystem::path& target, std::uint64_t byte_count) {
  const auto most = os::most_file_bytes();
  if (!most || byte_count <= *most) return;
  throw_store_error(target, "cannot write " + grouped(byte_count) +
                                " bytes: this process may write files of " + grouped(*most) +
                                " at most (ulimit -f)");
}

// Root saves the file of a service, which must read it afterwards; others may keep at most the
// group, and where not even that, the file is theirs, as ever.
void keep_owner(const RegularFile& file, os::Owner owner) {
  if (file.status().owner == owner) return;
  const int error_number = os::keep_owner(file.descriptor(), owner);
  if (error_number != 0) throw_store_error(file.path(), "keep its owner", error_number);
}

FileDescriptor open_folder(const std::filesystem::path& target) {
  FileDescriptor folder = os::open_folder(folder_of(target));
  if (!folder.is_open()) throw_store_error(target, "open its folder", errno);
  return folder;
}

}  // namespace

ReplacementFile::ReplacementFile(std::filesystem::path target, std::uint64_t byte_count,
                                 Permissions permissions)
    : target_(std::move(target)), folder_(folder_of(target_)), name_(temporary_name(target_)) {
  check_file_size_limit(target_, byte_count);
  folder_descriptor_ = open_folder(target_);
  const std::uint32_t first_mode = permissions.owner_only ? kOwnerOnly : kNewFile;
  open_nameless(first_mode);
  if (!lock_) open_named(first_mode);
  try {
    if (permissions.owner) keep_owner(lock_->file(), *permissions.owner);
    // Permissions come after the owner, whose change takes some of them away.
    std::optional<std::uint32_t> mode = permissions.mode;
    if (permissions.owner_only) mode = mode.value_or(kOwnerOnly) & kOwnerOnly;
    const int error_number = mode ? os::set_permissions(lock_->file().descriptor(), *mode) : 0;
    if (error_number != 0) throw_store_error(target_, "set its permissions", error_number);
  } catch (...) {
    remove_name();
    throw;
  }
}

ReplacementFile::~ReplacementFile() {
  remove_name();
}

void ReplacementFile::open_nameless(std::uint32_t mode) {
  FileDescriptor descriptor = os::open_nameless(folder_, mode);
  if (!descriptor.is_open()) {
    if (errno == ENOTSUP) return;
    throw_store_error(target_, "create a file in its folder", errno);
  }
  lock_ = WriterLock::of_new(RegularFile(std::move(descriptor), target_));
}

void ReplacementFile::open_named(std::uint32_t mode) {
  FileDescriptor descriptor = os::open_or_create(name_, mode);
  if (!descriptor.is_open()) throw_store_error(target_, "create a file in its folder", errno);
  RegularFile file(std::move(descriptor), target_);
  auto lock = WriterLock::of_new(std::move(file));
  if (!lock.file().is_named(name_)) {
    throw_store_error(target_, "another process is writing this file");
  }
  lock_ = std::move(lock);
  has_name_ = true;
  // A writer that was killed may have left bytes in it.
  if (!os::empty(lock_->file().descriptor())) {
    const int error_number = errno;
    remove_name();
    throw_store_error(target_, "empty its temporary file", error_number);
  }
}

void ReplacementFile::remove_name() noexcept {
  if (!has_name_) return;
  os::remove_name(name_);
  has_name_ = false;
}

void ReplacementFile::append(std::span<const std::byte> bytes) {
  lock_->file().write(bytes, size_);
  size_ += bytes.size();
}

std::optional<WriterLock> ReplacementFile::publish_new() {
  lock_->file().sync();
  const int descriptor = lock_->file().descriptor();
  const int error_number = has_name_ ? os::rename_to_new(descriptor, name_, target_)
                                     : os::give_name(descriptor, target_);
  if (error_number == EEXIST) return std::nullopt;
  if (error_number != 0) throw_store_error(target_, "give the new file its name", error_number);
  has_name_ = false;
  return hand_over();
}

WriterLock ReplacementFile::publish_over(const RegularFile& replaced) {
  lock_->file().sync();
  const int descriptor = lock_->file().descriptor();
  if (!has_name_) {
    int error_number = os::give_name(descriptor, name_);
    if (error_number == EEXIST) {
      // Left by a writer that was killed here: we hold the lock, so nobody else uses it.
      os::remove_name(name_);
      error_number = os::give_name(descriptor, name_);
    }
    if (error_number != 0) throw_store_error(target_, "name its new version", error_number);
    has_name_ = true;
  }
  const int error_number = os::rename_over(descriptor, name_, target_, replaced.descriptor());
  if (error_number != 0) throw_store_error(target_, "replace it", error_number);
  has_name_ = false;
  return hand_over();
}

WriterLock ReplacementFile::hand_over() {
  // Some file systems cannot sync a folder, and say so.
  if (!os::sync(folder_descriptor_.number()) && errno != EINVAL) {
    throw_store_error(
        target_, "be sure that it stays: it is in place, but syncing its folder failed", errno);
  }
  return std::move(*lock_);
}

std::filesystem::path follow_links(std::filesystem::path path) {
  for (int links = 0; links < kMostLinks; ++links) {
    std::error_code not_a_link;
    const auto next = os::link_target(path, not_a_link);
    if (not_a_link) return path;
    path = next.is_absolute() ? next : path.parent_path() / next;
  }
  throw_store_error(path, "open it", ELOOP);
}

void require_folder(const std::filesystem::path& target) {
  const std::filesystem::path file = follow_links(target);
  const FileDescriptor folder = open_folder(file);
  const int error_number = os::may_create_in(folder.number());
  if (error_number != 0) throw_store_error(file, "create a file in its folder", error_number);
}

}  // namespace bloomery
