// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/file_mapping.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

namespace bloomery {
namespace {

[[noreturn]] void throw_system_error(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

FileMapping::FileMapping(int descriptor, std::uint64_t byte_count, Changes changes,
                         bool survive_truncation)
    : descriptor_(fcntl(descriptor, F_DUPFD_CLOEXEC, 0)) {
  if (!descriptor_.is_open()) throw_system_error("cannot duplicate the descriptor");
  if (changes == Changes::go_to_file) unshared_.emplace(descriptor_.number());
  // No swap is set aside for private changes: there are few, if any.
  const int flags = changes == Changes::stay_here ? MAP_PRIVATE | MAP_NORESERVE : MAP_SHARED;
  void* const at =
      mmap(nullptr, byte_count, PROT_READ | PROT_WRITE, flags, descriptor_.number(), 0);
  if (at == MAP_FAILED) throw_system_error("cannot map it into memory");
  bytes_ = {static_cast<std::byte*>(at), byte_count};
  // Keys fall anywhere: reading ahead would bring in megabytes for each page that is asked for.
  madvise(at, byte_count, MADV_RANDOM);
  try {
    if (survive_truncation) lost_pages_.emplace(bytes_, descriptor_.number());
    mark_.emplace(descriptor_.number(), byte_count, survive_truncation);
  } catch (...) {
    lost_pages_.reset();
    munmap(bytes_.data(), bytes_.size());
    throw;
  }
}

FileMapping::~FileMapping() {
  mark_.reset();
  lost_pages_.reset();
  munmap(bytes_.data(), bytes_.size());
}

void FileMapping::sync(std::uint64_t count) const {
  if (msync(bytes_.data(), count, MS_SYNC) != 0) {
    throw_system_error("cannot bring changes to the disk (msync)");
  }
}

bool FileMapping::read(std::span<std::byte> to, std::uint64_t offset) const noexcept {
  while (!to.empty()) {
    const ssize_t got =
        pread(descriptor_.number(), to.data(), to.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to = to.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
  return true;
}

void FileMapping::will_read(std::uint64_t offset, std::uint64_t count) const noexcept {
  posix_fadvise(descriptor_.number(), static_cast<off_t>(offset), static_cast<off_t>(count),
                POSIX_FADV_WILLNEED);
}

bool FileMapping::is_damaged() const noexcept {
  if (was_truncated() || has_lost_pages()) return true;
  struct stat about {};
  return fstat(descriptor_.number(), &about) != 0 ||
         static_cast<std::uint64_t>(about.st_size) != bytes_.size();
}

}  // namespace bloomery
