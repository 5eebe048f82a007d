// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/follow/process_use.h"

#include <unistd.h>

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace bloomery::follow_bench {
namespace {

std::string folder_of(pid_t process) {
  return "/proc/" + std::to_string(process);
}

// User and system time of its own, and of the children that it has waited for, in ticks.
std::uint64_t own_ticks(pid_t process) {
  std::ifstream file(folder_of(process) + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t behind_name = line.rfind(')');
  if (behind_name == std::string::npos) return 0;  // it has ended: its parent counts it
  std::istringstream fields(line.substr(behind_name + 1));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  std::uint64_t sum = 0;
  for (int i = 0; i < 4; ++i) {
    std::uint64_t ticks = 0;
    fields >> ticks;
    sum += ticks;
  }
  return sum;
}

std::uint64_t ticks_of_all(pid_t process) {
  std::uint64_t sum = own_ticks(process);
  const std::string id = std::to_string(process);
  std::ifstream children(folder_of(process) + "/task/" + id + "/children");
  pid_t child = 0;
  while (children >> child) sum += ticks_of_all(child);
  return sum;
}

}  // namespace

double processor_seconds(pid_t process) {
  return static_cast<double>(ticks_of_all(process)) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

std::uint64_t peak_bytes(pid_t process) {
  std::ifstream file(folder_of(process) + "/status");
  std::string word;
  while (file >> word) {
    if (word != "VmHWM:") continue;
    std::uint64_t kibibytes = 0;
    file >> kibibytes;
    return kibibytes * 1024;
  }
  throw std::runtime_error("nobody says how much memory process " + std::to_string(process) +
                           " has");
}

}  // namespace bloomery::follow_bench
