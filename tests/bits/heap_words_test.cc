#include "bloomery/bits/heap_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace bloomery {
namespace {

static_assert(BitStorage<HeapWords>);

TEST(HeapWords, AreZeroAndStartOnALine) {
  for (const std::uint64_t count : {1U, 7U, 8U, 9U, 1'000U, 1U << 19, (1U << 19) + 1, 3U << 19}) {
    HeapWords words(count);
    ASSERT_EQ(words.words().size(), count);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(words.words().data()) % kLineBytes, 0U);
    EXPECT_TRUE(std::ranges::all_of(words.words(), [](std::uint64_t word) { return word == 0; }));
    words.words().back() = 1;  // the last word is ours
  }
}

TEST(HeapWords, LargeOnesStartOnAHugePage) {
  HeapWords words(std::uint64_t{1} << 20);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(words.words().data()) % (std::uint64_t{2} << 20), 0U);
}

TEST(HeapWords, MoveKeepsTheWordsAndCloneCopiesThem) {
  for (const std::uint64_t count : {8U, 1U << 20}) {
    HeapWords first(count);
    first.words()[3] = 42;
    const std::uint64_t* const where = first.words().data();
    HeapWords copy = first.clone();
    const HeapWords moved = std::move(first);
    EXPECT_EQ(moved.words().data(), where);
    copy.words()[3] = 7;
    EXPECT_EQ(moved.words()[3], 42U);
  }
}

TEST(HeapWords, RefuseMoreThanTheMachineHas) {
  try {
    HeapWords words(std::uint64_t{1} << 50);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("8.0 PiB"), std::string::npos) << error.what();
  }
  EXPECT_THROW(HeapWords(~std::uint64_t{0}), std::invalid_argument);
}

}  // namespace
}  // namespace bloomery
