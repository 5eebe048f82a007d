// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/truncation_mark.h"

#include <cerrno>
#include <system_error>

#include "bloomery/os/file_status.h"

namespace bloomery {

// Windows lets nobody truncate a file that is mapped: the mark stays, and is in no file.
TruncationMark::TruncationMark(int descriptor, std::uint64_t file_bytes, bool survive) {
  static std::uint64_t mark = kMark;
  word_ = &mark;
  if (survive) lost_pages_.emplace(page_, descriptor);
  const auto status = os::status_of(descriptor);
  if (!status || status->size < file_bytes) {
    throw std::system_error(EIO, std::generic_category(), "was truncated while it was mapped");
  }
}

TruncationMark::~TruncationMark() = default;

}  // namespace bloomery
