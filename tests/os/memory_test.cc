// SPDX-License-Identifier: Apache-2.0
// Memory of the machine, its pages, and its random bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "bloomery/os/machine_memory.h"
#include "bloomery/os/pages.h"
#include "bloomery/os/random_bytes.h"

namespace bloomery::os {
namespace {

TEST(Memory, OfTheMachineIsKnown) {
  EXPECT_GT(machine_memory(), std::uint64_t{64} << 20);
  EXPECT_LT(machine_memory(), std::numeric_limits<std::uint64_t>::max());
}

TEST(Memory, ComesInZeroedPages) {
  constexpr std::uint64_t kBytes = 2 * kHugePage;
  for (int i = 0; i < 3; ++i) {
    auto* const pages = static_cast<std::uint64_t*>(take_pages(kBytes));
    ASSERT_NE(pages, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pages) % kHugePage, 0U);
    const std::span words(pages, kBytes / sizeof(std::uint64_t));
    EXPECT_TRUE(std::ranges::all_of(words, [](std::uint64_t word) { return word == 0; }));
    std::ranges::fill(words, ~std::uint64_t{0});
    give_back_pages(pages, kBytes);
  }
}

TEST(Memory, IsRefusedWhereThereIsNone) {
  EXPECT_EQ(take_pages(std::uint64_t{1} << 60), nullptr);
}

TEST(RandomBytes, AreOthersEachTime) {
  std::array<std::byte, 32> first{};
  std::array<std::byte, 32> second{};
  ASSERT_TRUE(draw_random(first));
  ASSERT_TRUE(draw_random(second));
  EXPECT_NE(first, second);
  EXPECT_NE(first, (std::array<std::byte, 32>{}));
}

}  // namespace
}  // namespace bloomery::os
