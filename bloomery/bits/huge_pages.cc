// SPDX-License-Identifier: Apache-2.0
#include "bloomery/bits/huge_pages.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <string>

namespace bloomery {

std::optional<std::uint64_t> huge_page_byte_count(std::span<const std::uint64_t> words) {
  const auto first = reinterpret_cast<std::uintptr_t>(words.data());
  const std::uintptr_t last = first + words.size_bytes();
  std::ifstream smaps("/proc/self/smaps");
  std::string line;
  bool is_ours = false;
  std::optional<std::uint64_t> byte_count;
  while (std::getline(smaps, line)) {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t kib = 0;
    if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " ", &begin, &end) == 2) {
      is_ours = begin < last && first < end;
    } else if (is_ours && std::sscanf(line.c_str(), "AnonHugePages: %" SCNu64 " kB", &kib) == 1) {
      byte_count = byte_count.value_or(0) + (kib << 10);
    }
  }
  if (byte_count) *byte_count = std::min<std::uint64_t>(*byte_count, words.size_bytes());
  return byte_count;
}

}  // namespace bloomery
