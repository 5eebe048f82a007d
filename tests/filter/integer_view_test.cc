// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/integer_view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bloomery/filter/blocked_filter.h"
#include "bloomery/filter/classic_filter.h"
#include "bloomery/filter/counting_filter.h"
#include "bloomery/filter/scalable_filter.h"
#include "bloomery/filter/windowed_filter.h"

namespace bloomery {
namespace {

std::vector<std::uint64_t> some_integers(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> keys(2'000);
  for (std::uint64_t& key : keys) key = random();
  return keys;
}

// The geometries are a line with a bit in each lane (1 %), fewer lanes (20 %) and two lines (0.01
// %), by each hash: the view's bits, answers and counts are those of the filter's own calls.
TEST(IntegerView, IsTheFilterItself) {
  for (const double rate : {0.01, 0.2, 0.0001}) {
    for (const HashId hash : {HashId::fold, HashId::product, HashId::aes, HashId::native}) {
      const FilterOptions options{.capacity = 1'000, .false_positive_rate = rate, .hash = hash};
      BlockedFilter plain(options);
      BlockedFilter viewed(options);
      {
        auto view = viewed.integers();
        for (const std::uint64_t key : some_integers(1)) {
          EXPECT_EQ(view.insert(key), plain.insert(key));
          EXPECT_TRUE(view.may_contain(key));
        }
        EXPECT_FALSE(view.insert(some_integers(1)[0]));
      }
      EXPECT_EQ(viewed.inserted(), plain.inserted());
      EXPECT_TRUE(std::ranges::equal(viewed.words(), plain.words()));
      const auto asked = std::as_const(viewed).integers();
      for (const std::uint64_t key : some_integers(2)) {
        EXPECT_EQ(asked.may_contain(key), plain.may_contain(key));
      }
    }
  }
}

// The view is the filter also in loops that the view is told.
TEST(IntegerView, IsTheFilterItselfInALoop) {
  for (const double rate : {0.01, 0.2, 0.0001}) {
    for (const HashId hash : {HashId::fold, HashId::product, HashId::aes, HashId::native}) {
      const FilterOptions options{.capacity = 1'000, .false_positive_rate = rate, .hash = hash};
      BlockedFilter plain(options);
      BlockedFilter viewed(options);
      const std::uint64_t lost = viewed.integers([&](auto& view) {
        std::uint64_t absent = 0;
        for (const std::uint64_t key : some_integers(1)) {
          EXPECT_EQ(view.insert(key), plain.insert(key));
          absent += view.may_contain(key) ? 0 : 1;
        }
        EXPECT_FALSE(view.insert(some_integers(1)[0]));
        return absent;
      });
      EXPECT_EQ(lost, 0U);
      EXPECT_EQ(viewed.inserted(), plain.inserted());
      EXPECT_TRUE(std::ranges::equal(viewed.words(), plain.words()));
      std::as_const(viewed).integers([&](const auto& view) {
        for (const std::uint64_t key : some_integers(2)) {
          EXPECT_EQ(view.may_contain(key), plain.may_contain(key));
        }
      });
    }
  }
}

TEST(IntegerView, CountsWhatWasInsertedBeforeALoopThrew) {
  BlockedFilter filter({.capacity = 1'000, .hash = HashId::fold});
  const auto loop = [](auto& view) {
    view.insert(1);
    view.insert(2);
    throw std::runtime_error("enough");
  };
  EXPECT_THROW(filter.integers(loop), std::runtime_error);
  EXPECT_EQ(filter.inserted(), 2U);
  EXPECT_TRUE(filter.may_contain(2));
}

TEST(IntegerView, SetsWithoutAnAnswerAndCountsByTheBits) {
  BlockedFilter plain({.capacity = 10'000, .hash = HashId::fold});
  for (const std::uint64_t key : some_integers(3)) plain.insert(key);
  const auto set_all = [](auto& view) {
    for (int twice = 0; twice < 2; ++twice) {
      for (const std::uint64_t key : some_integers(3)) view.set(key);
    }
  };
  const auto expect_same = [&](auto set) {
    BlockedFilter viewed({.capacity = 10'000, .hash = HashId::fold});
    set(viewed);
    EXPECT_TRUE(std::ranges::equal(viewed.words(), plain.words()));
    // 2,000 keys set 16,000 of 100,000 bits: the estimate is off by far less than a tenth.
    EXPECT_NEAR(static_cast<double>(viewed.inserted()), 2'000, 100);
  };
  expect_same([&](BlockedFilter& viewed) {
    auto view = viewed.integers();
    set_all(view);
  });
  expect_same([&](BlockedFilter& viewed) { viewed.integers(set_all); });
}

// FoldHash leaves the upper bits of h2 uneven, which other kinds read.
TEST(IntegerView, NoOtherKindHasFoldHash) {
  const FilterOptions options{.capacity = 100, .hash = HashId::fold};
  EXPECT_THROW(ClassicFilter{options}, std::invalid_argument);
  EXPECT_THROW(CountingFilter{options}, std::invalid_argument);
  EXPECT_THROW(ScalableFilter{options}, std::invalid_argument);
  EXPECT_THROW(WindowedFilter{options}, std::invalid_argument);
  EXPECT_NO_THROW(BlockedFilter{options});
}

}  // namespace
}  // namespace bloomery
