// SPDX-License-Identifier: Apache-2.0
#include "cli/follow/file_follower.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>

namespace bloomery::cli {
namespace {

// A program that takes the signal for a request, and is not ended by it.
bool is_follower(pid_t process) {
  std::ifstream words("/proc/" + std::to_string(process) + "/cmdline", std::ios::binary);
  std::string program;
  std::string command;
  std::getline(words, program, '\0');
  std::getline(words, command, '\0');
  return std::filesystem::path(program).filename() == "bloomery" && command == "follow";
}

// A line is as "1: FLOCK  ADVISORY  WRITE 4711 fe:00:80212 0 EOF" (proc(5)).
std::optional<pid_t> follower_now(const std::filesystem::path& file) {
  struct stat found {};
  if (stat(file.c_str(), &found) != 0) return std::nullopt;
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    pid_t process = 0;
    unsigned major_number = 0;
    unsigned minor_number = 0;
    std::uint64_t inode = 0;
    const int read = std::sscanf(line.c_str(), "%*d: FLOCK ADVISORY WRITE %d %x:%x:%" SCNu64,
                                 &process, &major_number, &minor_number, &inode);
    const bool is_its = read == 4 && inode == found.st_ino && major_number == major(found.st_dev) &&
                        minor_number == minor(found.st_dev);
    if (is_its && is_follower(process)) return process;
  }
  return std::nullopt;
}

}  // namespace

// Finds the process that follows into the file. A follower may put another file there meanwhile,
// and the list of locks is not read in one moment.
std::optional<pid_t> follower_of(const std::filesystem::path& file) {
  constexpr int kAttempts = 10;
  std::optional<pid_t> found;
  for (int attempt = 0; !found && attempt < kAttempts; ++attempt) found = follower_now(file);
  return found;
}

}  // namespace bloomery::cli
