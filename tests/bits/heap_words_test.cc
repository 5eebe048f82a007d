// SPDX-License-Identifier: Apache-2.0
#include "bloomery/bits/heap_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>
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

TEST(HeapWords, SayWhatTheyTake) {
  EXPECT_EQ(HeapWords::byte_count(0), 0U);
  EXPECT_EQ(HeapWords::byte_count(1), kLineBytes);
  const std::uint64_t megabyte = std::uint64_t{1} << 20;
  EXPECT_EQ(HeapWords::byte_count(megabyte / 8 * 3), 3 * megabyte);
  EXPECT_EQ(HeapWords::byte_count(megabyte / 8 * 4), 4 * megabyte);
  EXPECT_EQ(HeapWords::byte_count(megabyte / 8 * 4 + 1), 6 * megabyte) << "whole huge pages";
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

int taken = 0;
int given_back = 0;

TEST(HeapWords, ComeFromTheHostWhereItGivesThem) {
  constexpr std::uint64_t kMostOfHost = 4096;
  HeapWords::use_host({[](std::uint64_t bytes) -> void* {
                         if (bytes > 2 * kMostOfHost) throw std::bad_alloc();
                         if (bytes > kMostOfHost) return nullptr;
                         ++taken;
                         return std::calloc(1, bytes);
                       },
                       [](void* bytes) noexcept {
                         ++given_back;
                         std::free(bytes);
                       }});
  {
    HeapWords words(100);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(words.words().data()) % 64, 0U);
    for (const std::uint64_t each : words.words()) EXPECT_EQ(each, 0U);
    words.words().back() = 1;
    const HeapWords of_the_machine(800);
    EXPECT_EQ(of_the_machine.words().back(), 0U);
    EXPECT_THROW(HeapWords(10000), std::bad_alloc);
    EXPECT_EQ(taken, 1);
  }
  HeapWords::use_host({});
  EXPECT_EQ(given_back, 1);
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
