// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace bloomery::testing {

// Loses pages as a full disk does: the first change to these bytes of the one mapping of `path` in
// this process raises SIGBUS, and the file stays as it is. (An empty file is mapped in their
// place.)
inline void lose_pages(const std::filesystem::path& path, std::uint64_t first,
                       std::uint64_t byte_count) {
  std::uintptr_t at = 0;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0;
    unsigned long end = 0;
    unsigned long offset = 0;
    if (!line.ends_with(" " + path.string()) ||
        sscanf(line.c_str(), "%lx-%lx %*s %lx", &begin, &end, &offset) != 3) {
      continue;
    }
    if (offset == 0 && end - begin >= first + byte_count) at = begin + first;
  }
  if (at == 0) throw std::logic_error(path.string() + " is not mapped");
  std::string name = path.string() + ".XXXXXX";
  const int empty = mkstemp(name.data());
  unlink(name.c_str());
  void* const mapped = mmap(reinterpret_cast<void*>(at), byte_count, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_FIXED, empty, 0);
  close(empty);
  if (mapped == MAP_FAILED) throw std::logic_error("cannot map an empty file");
}

}  // namespace bloomery::testing
