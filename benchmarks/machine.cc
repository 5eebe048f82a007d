// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/machine.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <fstream>
#include <thread>

#include "bloomery/bits/memory_limit.h"
#include "bloomery/filter/kernels/blocked_kernel.h"
#include "bloomery/text/human_bytes.h"

namespace bloomery::bench {
namespace {

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  while (std::getline(info, line)) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown processor";
}

// The value in brackets: "always [madvise] never".
std::string huge_page_setting() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string line;
  std::getline(file, line);
  const auto open = line.find('[');
  const auto close = line.find(']');
  if (open == std::string::npos || close == std::string::npos) return "unknown";
  return line.substr(open + 1, close - open - 1);
}

std::string cache_sizes() {
  const auto size = [](int name) { return human_bytes(static_cast<double>(sysconf(name))); };
  return "L1d " + size(_SC_LEVEL1_DCACHE_SIZE) + ", L2 " + size(_SC_LEVEL2_CACHE_SIZE) + ", L3 " +
         size(_SC_LEVEL3_CACHE_SIZE);
}

std::string system_name() {
  utsname names{};
  return uname(&names) == 0 ? std::string(names.sysname) + " " + names.release : "unknown system";
}

}  // namespace

std::string Machine::description() const {
  return processor + ", " + std::to_string(processors) + " processors, " + caches + ", memory " +
         human_bytes(static_cast<double>(memory_bytes)) + "; " + system + ", huge pages " +
         huge_pages + "; " + compiler + "; filter kernel " + kernel;
}

Machine this_machine() {
  Machine machine;
  machine.processor = processor_name();
  machine.processors = std::thread::hardware_concurrency();
  machine.caches = cache_sizes();
  machine.memory_bytes = memory_limit();
  machine.system = system_name();
  machine.huge_pages = huge_page_setting();
#if defined(__clang__)
  machine.compiler = "clang " __clang_version__;
#else
  machine.compiler = "g++ " __VERSION__;
#endif
  machine.kernel = std::string(blocked_kernel().name);
  return machine;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm date{};
  gmtime_r(&now, &date);
  std::array<char, 16> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d", &date)};
}

}  // namespace bloomery::bench
