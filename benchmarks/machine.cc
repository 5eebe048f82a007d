#include "benchmarks/machine.h"

#include <unistd.h>

#include <fstream>
#include <thread>

#include "bloomery/bits/memory_limit.h"
#include "bloomery/filter/kernels/blocked_kernel.h"

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

}  // namespace

Machine this_machine() {
  return {
    .processor = processor_name(), .caches = cache_sizes(), .huge_pages = huge_page_setting(),
#if defined(__clang__)
    .compiler = "clang " __clang_version__,
#else
    .compiler = "g++ " __VERSION__,
#endif
    .kernel = std::string(blocked_kernel().name), .processors = std::thread::hardware_concurrency()
  };
}

}  // namespace bloomery::bench
