// SPDX-License-Identifier: Apache-2.0
#include "module/delta_ring.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace bloomery::module {
namespace {

const DeltaRing::Basis kBasis{.capacity = 1000};

std::vector<std::uint64_t> firsts(const DeltaRing& ring, std::uint64_t since) {
  const auto bytes = ring.hashes(since, ring.sequence() - since);
  std::vector<std::uint64_t> all(bytes.size() / 16);
  for (std::size_t i = 0; i < all.size(); ++i) std::memcpy(&all[i], &bytes[16 * i], 8);
  return all;
}

TEST(DeltaRing, KeepsNothingBeforeItWasAsked) {
  DeltaRing ring;
  ring.add({1, 2});
  ring.step();
  EXPECT_FALSE(ring.name().is_set());
  EXPECT_EQ(ring.sequence(), 0U);
  EXPECT_LE(ring.byte_count(), sizeof ring);
}

TEST(DeltaRing, HasTheLastEntriesAndSaysWhenItForgot) {
  DeltaRing ring;
  ring.ask(kBasis, 5 * 16 + 15);
  for (std::uint64_t i = 1; i <= 5; ++i) ring.add({i, i});
  EXPECT_TRUE(ring.has_since(0));
  EXPECT_EQ(firsts(ring, 0), (std::vector<std::uint64_t>{1, 2, 3, 4, 5}));
  ring.add({6, 6});
  EXPECT_FALSE(ring.has_since(0));
  EXPECT_TRUE(ring.has_since(1));
  EXPECT_EQ(firsts(ring, 1), (std::vector<std::uint64_t>{2, 3, 4, 5, 6}));
  EXPECT_EQ(firsts(ring, 6), std::vector<std::uint64_t>{});
  EXPECT_FALSE(ring.has_since(7));
  ring.step();
  EXPECT_EQ(ring.sequence(), 7U);
  EXPECT_FALSE(ring.has_since(1)) << "a step takes an entry";
  EXPECT_EQ(firsts(ring, 5), (std::vector<std::uint64_t>{6}));
}

TEST(DeltaRing, WithoutRoomHasNoEntry) {
  DeltaRing ring;
  ring.ask(kBasis, 15);
  EXPECT_TRUE(ring.has_since(0));
  ring.add({1, 1});
  EXPECT_FALSE(ring.has_since(0));
  EXPECT_TRUE(ring.has_since(1));
}

TEST(DeltaRing, HasAnotherNameOnceItForgot) {
  DeltaRing ring;
  ring.ask(kBasis, 160);
  const Identity first = ring.name();
  ring.require(kBasis);
  EXPECT_EQ(ring.name(), first);
  ring.require({.capacity = 2000});
  EXPECT_FALSE(ring.name().is_set());
  ring.ask({.capacity = 2000}, 160);
  const Identity second = ring.name();
  EXPECT_NE(second, first);
  ring.ask({.capacity = 3000}, 160);
  EXPECT_NE(ring.name(), second) << "the filter grew while nobody told the ring";
  const Identity third = ring.name();
  ring.add({0, 0});  // which would be taken for a step
  EXPECT_FALSE(ring.name().is_set());
  ring.ask({.capacity = 3000}, 160);
  EXPECT_NE(ring.name(), third);
  EXPECT_EQ(ring.sequence(), 0U);
}

TEST(DeltaRing, GoesWhereNobodyAsks) {
  DeltaRing ring;
  DeltaRing other;
  ring.ask(kBasis, 1600);
  EXPECT_TRUE(DeltaRing::forget_unasked(600'000));
  EXPECT_TRUE(ring.name().is_set());
  EXPECT_FALSE(DeltaRing::forget_unasked(0));
  EXPECT_FALSE(ring.name().is_set());
  EXPECT_EQ(ring.byte_count(), sizeof ring);
}

}  // namespace
}  // namespace bloomery::module
