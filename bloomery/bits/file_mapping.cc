#include "bloomery/bits/file_mapping.h"

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
  // No swap is set aside for private changes: there are few, if any.
  const int flags = changes == Changes::go_to_file ? MAP_SHARED : MAP_PRIVATE | MAP_NORESERVE;
  void* const at =
      mmap(nullptr, byte_count, PROT_READ | PROT_WRITE, flags, descriptor_.number(), 0);
  if (at == MAP_FAILED) throw_system_error("cannot map it into memory");
  bytes_ = {static_cast<std::byte*>(at), byte_count};
  try {
    if (survive_truncation) lost_pages_.emplace(bytes_, descriptor_.number());
  } catch (...) {
    munmap(bytes_.data(), bytes_.size());
    throw;
  }
}

FileMapping::~FileMapping() {
  lost_pages_.reset();
  munmap(bytes_.data(), bytes_.size());
}

void FileMapping::sync() const {
  if (msync(bytes_.data(), bytes_.size(), MS_SYNC) != 0) {
    throw_system_error("cannot bring changes to the disk (msync)");
  }
}

bool FileMapping::is_damaged() const noexcept {
  if (lost_pages_ && lost_pages_->any()) return true;
  struct stat about {};
  return fstat(descriptor_.number(), &about) != 0 ||
         static_cast<std::uint64_t>(about.st_size) != bytes_.size();
}

}  // namespace bloomery
