// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/truncation_mark.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace bloomery {

TruncationMark::TruncationMark(int descriptor, std::uint64_t file_bytes, bool survive) {
  const auto page_bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t offset = (file_bytes - 1) / page_bytes * page_bytes;
  void* const at = mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor,
                        static_cast<off_t>(offset));
  if (at == MAP_FAILED) {
    throw std::system_error(errno, std::generic_category(), "cannot map its last page");
  }
  page_ = {static_cast<std::byte*>(at), page_bytes};
  word_ = static_cast<std::uint64_t*>(at);
  try {
    if (survive) lost_pages_.emplace(page_, descriptor, offset);
  } catch (...) {
    munmap(page_.data(), page_.size());
    throw;
  }
  // If the page was lost already, the mark goes to one that no truncation takes away.
  __atomic_store_n(word_, kMark, __ATOMIC_RELAXED);
  const bool lost = lost_pages_ && lost_pages_->any();
  struct stat about {};
  if (lost || fstat(descriptor, &about) != 0 ||
      static_cast<std::uint64_t>(about.st_size) < file_bytes) {
    lost_pages_.reset();
    munmap(page_.data(), page_.size());
    throw std::system_error(EIO, std::generic_category(), "was truncated while it was mapped");
  }
}

TruncationMark::~TruncationMark() {
  lost_pages_.reset();
  munmap(page_.data(), page_.size());
}

}  // namespace bloomery
