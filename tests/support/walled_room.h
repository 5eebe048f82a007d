// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#if defined(_WIN32)
#include <windows.h>
#else
#include <sys/mman.h>
#include <unistd.h>
#endif

#include <cstddef>
#include <span>

namespace bloomery::testing {

#if defined(_WIN32)
inline std::size_t page_size() {
  SYSTEM_INFO about{};
  GetSystemInfo(&about);
  return about.dwPageSize;
}
inline std::byte* take_walls(std::size_t size) {
  return static_cast<std::byte*>(VirtualAlloc(nullptr, size, MEM_RESERVE, PAGE_NOACCESS));
}
inline bool open_room(std::byte* at, std::size_t size) {
  return VirtualAlloc(at, size, MEM_COMMIT, PAGE_READWRITE) != nullptr;
}
inline void give_back_walls(std::byte* at, std::size_t) {
  VirtualFree(at, 0, MEM_RELEASE);
}
#else
inline std::size_t page_size() {
  return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}
inline std::byte* take_walls(std::size_t size) {
  void* const at =
      mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at == MAP_FAILED ? nullptr : static_cast<std::byte*>(at);
}
inline bool open_room(std::byte* at, std::size_t size) {
  return mprotect(at, size, PROT_READ | PROT_WRITE) == 0;
}
inline void give_back_walls(std::byte* at, std::size_t size) {
  munmap(at, size);
}
#endif

// Memory with a page before it and one behind it that nobody may read: vector instructions are
// caught there, too, which no sanitizer looks at. Fresh memory is zeros.
class WalledRoom {
 public:
  explicit WalledRoom(std::size_t least_bytes)
      : page_(page_size()),
        size_((least_bytes + page_ - 1) / page_ * page_),
        all_(take_walls(size_ + 2 * page_)) {
    EXPECT_NE(all_, nullptr);
    EXPECT_TRUE(open_room(all_ + page_, size_));
  }
  WalledRoom(const WalledRoom&) = delete;
  WalledRoom& operator=(const WalledRoom&) = delete;
  ~WalledRoom() { give_back_walls(all_, size_ + 2 * page_); }

  std::span<std::byte> first(std::size_t size) { return {all_ + page_, size}; }
  std::span<std::byte> last(std::size_t size) { return {all_ + page_ + size_ - size, size}; }

 private:
  std::size_t page_;
  std::size_t size_;
  std::byte* all_;
};

}  // namespace bloomery::testing
