// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/machine_memory.h"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <limits>

namespace bloomery::os {
namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

#if !defined(__EMSCRIPTEN__)
std::uint64_t physical_memory() noexcept {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_size = sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || page_size <= 0) return kNoLimit;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_size);
}

// The limit a container sets, in either version of control groups; "max" or no file means none.
std::uint64_t control_group_limit() noexcept {
  try {
    for (const char* path :
         {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
      std::ifstream file(path);
      std::uint64_t bytes = 0;
      if (file >> bytes) return bytes;
    }
  } catch (const std::exception&) {
    // No limit that we can read is no limit that we know of.
  }
  return kNoLimit;
}
#endif

}  // namespace

std::uint64_t machine_memory() noexcept {
#if defined(__EMSCRIPTEN__)
  // WebAssembly: the number of pages is that of the pages taken so far, and there are no files to
  // read a limit from.
  return kNoLimit;
#else
  return std::min(physical_memory(), control_group_limit());
#endif
}

}  // namespace bloomery::os
