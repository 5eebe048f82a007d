// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/own_locks.h"

#include <sys/stat.h>

#include <fstream>
#include <string>

namespace bloomery {
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
    struct stat wanted {};
    if (stat(path.c_str(), &wanted) != 0) return false;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      struct stat its {};
      const bool is_same = stat(entry.path().c_str(), &its) == 0 && its.st_dev == wanted.st_dev &&
                           its.st_ino == wanted.st_ino;
      if (is_same && has_lock("/proc/self/fdinfo" / entry.path().filename())) return true;
    }
  } catch (...) {  // a message with the likelier word is better than none
  }
  return false;
}

}  // namespace bloomery
