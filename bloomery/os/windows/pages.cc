// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/pages.h"

#include "bloomery/os/windows/system_calls.h"

namespace bloomery::os {
namespace {

constexpr int kAttempts = 8;

void* allocate_at(void* at, std::uint64_t byte_count, DWORD how) noexcept {
  return VirtualAlloc(at, byte_count, how, PAGE_READWRITE);
}

}  // namespace

const std::uint64_t kWorthPages = 2 * kHugePage;

// Huge pages need a right that few have: none are asked for. Another thread may take the address
// that was found; where that happens again and again, the pages begin where they may.
void* take_pages(std::uint64_t byte_count) noexcept {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    void* const room = allocate_at(nullptr, byte_count + kHugePage, MEM_RESERVE);
    if (room == nullptr) break;
    VirtualFree(room, 0, MEM_RELEASE);
    const auto start = reinterpret_cast<std::uintptr_t>(room);
    const std::uintptr_t aligned = (start + kHugePage - 1) / kHugePage * kHugePage;
    void* const pages =
        allocate_at(reinterpret_cast<void*>(aligned), byte_count, MEM_RESERVE | MEM_COMMIT);
    if (pages != nullptr) return pages;
  }
  return allocate_at(nullptr, byte_count, MEM_RESERVE | MEM_COMMIT);
}

void give_back_pages(void* pages, std::uint64_t) noexcept {
  VirtualFree(pages, 0, MEM_RELEASE);
}

}  // namespace bloomery::os
