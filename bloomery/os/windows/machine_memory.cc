// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/machine_memory.h"

#include <algorithm>
#include <limits>

#include "bloomery/os/windows/system_calls.h"

namespace bloomery::os {
namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

std::uint64_t physical_memory() noexcept {
  MEMORYSTATUSEX status{};
  status.dwLength = sizeof status;
  return GlobalMemoryStatusEx(&status) != 0 ? status.ullTotalPhys : kNoLimit;
}

// Returns the limit that a container sets.
std::uint64_t job_limit() noexcept {
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
  if (QueryInformationJobObject(nullptr, JobObjectExtendedLimitInformation, &limits, sizeof limits,
                                nullptr) == 0) {
    return kNoLimit;
  }
  std::uint64_t least = kNoLimit;
  const DWORD set = limits.BasicLimitInformation.LimitFlags;
  if ((set & JOB_OBJECT_LIMIT_JOB_MEMORY) != 0) least = limits.JobMemoryLimit;
  if ((set & JOB_OBJECT_LIMIT_PROCESS_MEMORY) != 0) {
    least = std::min<std::uint64_t>(least, limits.ProcessMemoryLimit);
  }
  return least;
}

}  // namespace

std::uint64_t machine_memory() noexcept {
  return std::min(physical_memory(), job_limit());
}

}  // namespace bloomery::os
