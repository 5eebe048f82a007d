// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace bloomery::bench {

// The machine that figures come from: they mean little without it.
struct Machine {
  std::string processor;
  unsigned processors = 0;
  std::string caches;  // "L2 2 MiB, L3 260 MiB"
  std::uint64_t memory_bytes = 0;
  std::string system;      // "Linux 6.1.0-18-amd64"
  std::string huge_pages;  // the kernel's setting for transparent huge pages
  std::string compiler;
  std::string kernel;  // of blocked filters: "avx512"

  // All of it in one line.
  std::string description() const;
};

Machine this_machine();

// "2026-11-20", in UTC.
std::string today();

}  // namespace bloomery::bench
