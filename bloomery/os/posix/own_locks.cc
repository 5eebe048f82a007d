// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/own_locks.h"

#include <fstream>
#include <string>

#include "bloomery/os/file_status.h"

namespace bloomery::os {
namespace {

// Lines about locks begin so: "lock:  1: FLOCK  ADVISORY  WRITE ...".
bool has_lock(const std::filesystem::path& about_descriptor) {
  std::ifstream lines(about_descriptor);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("lock:") && line.find(" FLOCK ") != std::string::npos) return true;
  }
  return false;
}

}  // namespace

bool is_locked_here(const std::filesystem::path& path) noexcept {
  try {
    const auto wanted = status_of(path);
    if (!wanted) return false;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      const auto its = status_of(entry.path());
      const bool is_same = its && its->identity == wanted->identity;
      if (is_same && has_lock("/proc/self/fdinfo" / entry.path().filename())) return true;
    }
  } catch (...) {  // a message with the likelier word is better than none
  }
  return false;
}

}  // namespace bloomery::os
