// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <span>

namespace bloomery::testing {

// Memory with a page before it and one behind it that nobody may read: vector instructions are
// caught there, too, which no sanitizer looks at. Fresh memory is zeros.
class WalledRoom {
 public:
  explicit WalledRoom(std::size_t least_bytes)
      : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
        size_((least_bytes + page_ - 1) / page_ * page_),
        all_(static_cast<std::byte*>(mmap(nullptr, size_ + 2 * page_, PROT_NONE,
                                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {
    EXPECT_NE(all_, MAP_FAILED);
    EXPECT_EQ(mprotect(all_ + page_, size_, PROT_READ | PROT_WRITE), 0);
  }
  WalledRoom(const WalledRoom&) = delete;
  WalledRoom& operator=(const WalledRoom&) = delete;
  ~WalledRoom() { munmap(all_, size_ + 2 * page_); }

  std::span<std::byte> first(std::size_t size) { return {all_ + page_, size}; }
  std::span<std::byte> last(std::size_t size) { return {all_ + page_ + size_ - size, size}; }

 private:
  std::size_t page_;
  std::size_t size_;
  std::byte* all_;
};

}  // namespace bloomery::testing
