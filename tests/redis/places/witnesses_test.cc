// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/witnesses.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace bloomery::redis {
namespace {

std::vector<int> kept_by(const Witnesses<int>& witnesses) {
  std::vector<int> kept;
  witnesses.append_to(kept);
  return kept;
}

void learn(Witnesses<int>& witnesses, int one, bool is_new) {
  witnesses.learn(std::span<const int>(&one, 1), is_new);
}

TEST(Witnesses, AreTheNewestOfWhatIsNew) {
  Witnesses<int> witnesses;
  for (int i = 0; i < 11; ++i) learn(witnesses, i, true);
  EXPECT_EQ(kept_by(witnesses), (std::vector{8, 9, 10, 7}));
}

TEST(Witnesses, KeepWhatIsOldAndWhatIsNewApart) {
  Witnesses<int> witnesses;
  for (int i = 0; i < 4; ++i) learn(witnesses, i, false);
  for (int i = 10; i < 20; ++i) learn(witnesses, i, true);
  EXPECT_EQ(kept_by(witnesses), (std::vector{18, 19, 16, 17, 0, 1, 2, 3}));
}

// Each old bit is kept with one chance, also the first four and the four behind them.
TEST(Witnesses, KeepEachThatIsOldWithTheSameChance) {
  constexpr int kLearnt = 20;
  constexpr int kRounds = 20'000;
  std::array<int, kLearnt> kept{};
  std::mt19937 seeds(1);
  for (int round = 0; round < kRounds; ++round) {
    Witnesses<int> witnesses(static_cast<std::uint32_t>(seeds()));
    for (int i = 0; i < kLearnt; ++i) learn(witnesses, i, false);
    for (const int one : kept_by(witnesses)) ++kept[static_cast<std::size_t>(one)];
  }
  // Five standard deviations of 57 each.
  for (const int count : kept) EXPECT_NEAR(count, kRounds * 4 / kLearnt, 285);
}

TEST(Witnesses, TakeAnyOfABatch) {
  Witnesses<int> witnesses(1);
  constexpr std::array kBatch{0, 1, 2};
  std::array<int, 3> taken{};
  for (int round = 0; round < 3'000; ++round) {
    witnesses.learn(std::span<const int>(kBatch), true);
    ++taken[static_cast<std::size_t>(kept_by(witnesses)[static_cast<std::size_t>(round) % 4])];
  }
  for (const int count : taken) EXPECT_NEAR(count, 1'000, 130);
}

}  // namespace
}  // namespace bloomery::redis
