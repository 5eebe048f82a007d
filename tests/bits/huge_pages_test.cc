// SPDX-License-Identifier: Apache-2.0
#include "bloomery/bits/huge_pages.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <vector>

#include "bloomery/bits/heap_words.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;

TEST(HugePages, CountsNoneInSmallPages) {
  constexpr std::uint64_t kBytes = 4 * kHugePage;
  void* const mapping =
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapping, MAP_FAILED);
  // Fails only where the kernel knows no huge pages at all.
  madvise(mapping, kBytes, MADV_NOHUGEPAGE);
  const std::span words(static_cast<std::uint64_t*>(mapping), kBytes / 8);
  std::ranges::fill(words, 1);
  const auto count = huge_page_byte_count(words);
  munmap(mapping, kBytes);
  EXPECT_EQ(count.value_or(0), 0U);
}

// The kernel decides whether there are any huge pages; all of the words are the most there can be.
TEST(HugePages, CountsWholeHugePagesAndNoMoreThanTheWords) {
  HeapWords words(8 * kHugePage / 8);
  EXPECT_EQ(huge_page_byte_count(words.words()).value_or(0), 0U) << "nothing is touched yet";
  std::ranges::fill(words.words(), 1);
  const std::uint64_t count = huge_page_byte_count(words.words()).value_or(0);
  EXPECT_LE(count, words.words().size_bytes());
  EXPECT_EQ(count % kHugePage, 0U);
}

TEST(HugePages, KnowsNothingOfNoWords) {
  EXPECT_FALSE(huge_page_byte_count({}));
}

}  // namespace
}  // namespace bloomery
