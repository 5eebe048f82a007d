#pragma once

#include <string>

namespace bloomery::bench {

// Where figures come from: they mean little without it.
struct Machine {
  std::string processor;
  std::string caches;      // "L2 2 MiB, L3 260 MiB"
  std::string huge_pages;  // the kernel's setting for transparent huge pages
  std::string compiler;
  std::string kernel;  // of blocked filters
  unsigned processors = 0;
};

Machine this_machine();

}  // namespace bloomery::bench
