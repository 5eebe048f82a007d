// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/file_mapping.h"

#include <fcntl.h>

#include "bloomery/os/file_bytes.h"
#include "bloomery/os/file_status.h"
#include "bloomery/os/windows/system_calls.h"

namespace bloomery {
namespace {

[[noreturn]] void throw_system_error(const char* what) {
  throw std::system_error(os::error_number(GetLastError()), std::generic_category(), what);
}

// Not _dup(), whose copy goes to programs that this one starts.
int duplicate(int descriptor) noexcept {
  const HANDLE self = GetCurrentProcess();
  HANDLE copy = nullptr;
  if (DuplicateHandle(self, os::handle_of(descriptor), self, &copy, 0, FALSE,
                      DUPLICATE_SAME_ACCESS) == 0) {
    return -1;
  }
  const int number =
      _open_osfhandle(reinterpret_cast<std::intptr_t>(copy), _O_BINARY | _O_NOINHERIT);
  if (number < 0) CloseHandle(copy);
  return number;
}

}  // namespace

FileMapping::FileMapping(int descriptor, std::uint64_t byte_count, Changes changes,
                         bool survive_truncation)
    : descriptor_(duplicate(descriptor)) {
  if (!descriptor_.is_open()) throw_system_error("cannot duplicate the descriptor");
  const bool stay_here = changes == Changes::stay_here;
  // A mapping as long as the file is: a longer one would make the file longer.
  const os::Handle mapping(CreateFileMappingW(os::handle_of(descriptor_.number()), nullptr,
                                              stay_here ? PAGE_WRITECOPY : PAGE_READWRITE, 0, 0,
                                              nullptr));
  if (!mapping.is_open()) throw_system_error("cannot map it into memory");
  void* const at =
      MapViewOfFile(mapping.get(), stay_here ? FILE_MAP_COPY : FILE_MAP_WRITE, 0, 0, byte_count);
  if (at == nullptr) throw_system_error("cannot map it into memory");
  bytes_ = {static_cast<std::byte*>(at), byte_count};
  try {
    if (survive_truncation) lost_pages_.emplace(bytes_, descriptor_.number());
    mark_.emplace(descriptor_.number(), byte_count, survive_truncation);
  } catch (...) {
    UnmapViewOfFile(at);
    throw;
  }
}

FileMapping::~FileMapping() {
  UnmapViewOfFile(bytes_.data());
}

void FileMapping::sync(std::uint64_t count) const {
  if (FlushViewOfFile(bytes_.data(), count) == 0 ||
      FlushFileBuffers(os::handle_of(descriptor_.number())) == 0) {
    throw_system_error("cannot bring changes to the disk (FlushViewOfFile)");
  }
}

bool FileMapping::read(std::span<std::byte> to, std::uint64_t offset) const noexcept {
  while (!to.empty()) {
    const std::ptrdiff_t got = os::read_at(descriptor_.number(), to, offset);
    if (got <= 0) return false;
    to = to.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
  return true;
}

void FileMapping::will_read(std::uint64_t, std::uint64_t) const noexcept {}

bool FileMapping::is_damaged() const noexcept {
  const auto status = os::status_of(descriptor_.number());
  return was_truncated() || !status || status->size != bytes_.size();
}

}  // namespace bloomery
