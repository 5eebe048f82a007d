// SPDX-License-Identifier: Apache-2.0
#include "module/read_places.h"

#include <gtest/gtest.h>

namespace bloomery::module {
namespace {

constexpr std::uint64_t kLives = ReadPlaces::kReaderLivesMs;

TEST(ReadPlaces, AreOfTheFirstWhoCame) {
  ReadPlaces places;
  EXPECT_TRUE(places.admits(7, 0, 2));
  EXPECT_TRUE(places.admits(3, 1, 2));
  EXPECT_FALSE(places.admits(9, 2, 2));
  EXPECT_FALSE(places.admits(5, 3, 2));
  EXPECT_TRUE(places.admits(3, 4, 2)) << "its next piece";
  places.leave(7);
  EXPECT_FALSE(places.admits(5, 5, 2)) << "another one came before";
  EXPECT_TRUE(places.admits(9, 6, 2));
  EXPECT_FALSE(places.admits(7, 7, 2)) << "a second filter is a turn of its own";
}

TEST(ReadPlaces, StarveNobodyWhoComesAgain) {
  ReadPlaces places;
  EXPECT_TRUE(places.admits(0, 0, 1));
  for (std::uint64_t turn = 1; turn < 100; ++turn) {
    // New clients come all the time, more often than it does.
    EXPECT_FALSE(places.admits(1'000, turn * 10, 1));
    for (std::uint64_t other = turn + 1; other < 2 * turn; ++other) {
      EXPECT_FALSE(places.admits(other, turn * 10 + 1, 1));
    }
  }
  places.leave(0);
  EXPECT_TRUE(places.admits(1'000, 1'000, 1));
}

TEST(ReadPlaces, OfWhoIsGoneAreFreeInTime) {
  ReadPlaces places;
  EXPECT_TRUE(places.admits(1, 0, 1));
  EXPECT_FALSE(places.admits(2, 1, 1));
  EXPECT_FALSE(places.admits(3, 2, 1));
  EXPECT_FALSE(places.admits(3, kLives - 1, 1));
  EXPECT_FALSE(places.admits(3, kLives, 1)) << "the second has not been away for so long";
  EXPECT_TRUE(places.admits(3, kLives + 1, 1));
  EXPECT_FALSE(places.admits(1, kLives + 2, 1)) << "a slow reader takes its turn again";
}

TEST(ReadPlaces, MayBecomeMoreOrFewerMeanwhile) {
  ReadPlaces places;
  EXPECT_TRUE(places.admits(1, 0, 1));
  EXPECT_FALSE(places.admits(2, 0, 1));
  EXPECT_TRUE(places.admits(2, 0, 2));
  EXPECT_FALSE(places.admits(2, 0, 1));
}

}  // namespace
}  // namespace bloomery::module
