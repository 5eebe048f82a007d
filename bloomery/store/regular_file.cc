// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/regular_file.h"

#include <algorithm>
#include <cerrno>

#include "bloomery/os/file_bytes.h"
#include "bloomery/store/messages.h"
#include "bloomery/text/grouped.h"

namespace bloomery {
namespace {

// The most bytes of a call: the kernel cuts short what has more.
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;

void require_regular(const std::filesystem::path& path, os::FileSort sort) {
  switch (sort) {
    case os::FileSort::file:
      return;
    case os::FileSort::folder:
      throw_other_sort(path, "is a directory, not a file", true);
    case os::FileSort::pipe:
      throw_other_sort(path, "is a pipe, not a file", false);
    case os::FileSort::socket:
      throw_other_sort(path, "is a socket, not a file", false);
    case os::FileSort::device:
      throw_other_sort(path, "is a device, not a file", false);
    case os::FileSort::other:
      throw_other_sort(path, "is not a regular file", false);
  }
}

}  // namespace

RegularFile::RegularFile(FileDescriptor descriptor, std::filesystem::path path)
    : descriptor_(std::move(descriptor)), path_(std::move(path)) {
  const os::FileStatus about = status();
  require_regular(path_, about.sort);
  size_ = about.size;
  identity_ = about.identity;
}

RegularFile RegularFile::open(const std::filesystem::path& path, Access access) {
  auto file = open_existing(path, access);
  if (!file) throw_store_error(path, "open it", ENOENT);
  return std::move(*file);
}

std::optional<RegularFile> RegularFile::open_existing(const std::filesystem::path& path,
                                                      Access access) {
  if (path.native().find('\0') != std::string::npos) {
    throw_store_error(path, "a file name has no zero byte");
  }
  // Opening a device or a socket may do something, or fail with a puzzling reason: look first.
  if (const auto about = os::status_of(path)) require_regular(path, about->sort);
  FileDescriptor descriptor = os::open_file(path, access);
  if (!descriptor.is_open()) {
    if (errno == ENOENT) return std::nullopt;
    throw_store_error(path, access == Access::read ? "open it" : "open it for writing", errno);
  }
  return RegularFile(std::move(descriptor), path);
}

void RegularFile::read(std::span<std::byte> to, std::uint64_t offset) const {
  while (!to.empty()) {
    const std::ptrdiff_t got =
        os::read_at(descriptor(), to.first(std::min(to.size(), kMostAtOnce)), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_store_error(path_, "read it", errno);
    if (got == 0) {
      throw_format_error(path_, "truncated at byte " + grouped(offset) + " while it was read");
    }
    to = to.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
}

void RegularFile::write(std::span<const std::byte> bytes, std::uint64_t offset) const {
  while (!bytes.empty()) {
    const std::ptrdiff_t put =
        os::write_at(descriptor(), bytes.first(std::min(bytes.size(), kMostAtOnce)), offset);
    if (put < 0 && errno == EINTR) continue;
    // Zero bytes written say nothing; the only honest reading is that no more fit.
    if (put <= 0) throw_store_error(path_, "write it", put < 0 ? errno : ENOSPC);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
    offset += static_cast<std::uint64_t>(put);
  }
}

void RegularFile::sync() const {
  if (!os::sync(descriptor())) throw_store_error(path_, "bring it to the disk (fsync)", errno);
}

os::FileStatus RegularFile::status() const {
  const auto about = os::status_of(descriptor());
  if (!about) throw_store_error(path_, "look at it", errno);
  return *about;
}

bool RegularFile::is_named(const std::filesystem::path& path) const noexcept {
  const auto about = os::status_of(path);
  return about && about->identity == identity_;
}

}  // namespace bloomery
