// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/pages.h"

#include <sys/mman.h>

#include <limits>

namespace bloomery::os {

#if defined(__EMSCRIPTEN__)
const std::uint64_t kWorthPages = std::numeric_limits<std::uint64_t>::max();
#else
const std::uint64_t kWorthPages = 2 * kHugePage;
#endif

// Asks for one huge page more and gives back what sticks out.
void* take_pages(std::uint64_t byte_count) noexcept {
  const std::uint64_t asked = byte_count + kHugePage;
  void* const raw = mmap(nullptr, asked, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (raw == MAP_FAILED) return nullptr;
  const auto start = reinterpret_cast<std::uintptr_t>(raw);
  const std::uintptr_t aligned = (start + kHugePage - 1) / kHugePage * kHugePage;
  if (aligned > start) munmap(raw, aligned - start);
  const std::uint64_t behind = start + asked - (aligned + byte_count);
  if (behind > 0) munmap(reinterpret_cast<void*>(aligned + byte_count), behind);
  auto* const pages = reinterpret_cast<void*>(aligned);
  madvise(pages, byte_count,
          MADV_HUGEPAGE);  // advice: without it the words are as right, only slower
  return pages;
}

void give_back_pages(void* pages, std::uint64_t byte_count) noexcept {
  munmap(pages, byte_count);
}

}  // namespace bloomery::os
