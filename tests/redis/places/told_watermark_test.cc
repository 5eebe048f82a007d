// SPDX-License-Identifier: Apache-2.0
// What answers of a place in a server were judged by, however they come in.

#include "bloomery/redis/places/told_watermark.h"

#include <gtest/gtest.h>

namespace bloomery::redis {
namespace {

const Identity kHere{1, 1};
const ToldWatermark::Mark kOld{{7, 7}, Watermark{kHere, 30}};
const ToldWatermark::Mark kNew{{8, 8}, Watermark{kHere, 100}};

TEST(ToldWatermark, IsTheHighestOfTheFilter) {
  ToldWatermark told;
  told.note(kNew);
  const std::uint64_t changes = told.told(Telling::filters).filters;
  told.note({kNew.filter, Watermark{kHere, 99}});
  EXPECT_EQ(told.now(), kNew);
  told.note({kNew.filter, Watermark{kHere, 101}});
  EXPECT_EQ(told.now().reached->position, 101U);
  EXPECT_EQ(told.told(Telling::filters).filters, changes) << "of a filter that moves";
}

// So does the answer of the filter before, which comes late, and each after it.
TEST(ToldWatermark, CountsEveryFilterThatWasNotTheLast) {
  ToldWatermark told;
  std::uint64_t changes = told.told(Telling::filters).filters;
  for (const auto& mark : {kOld, kNew, kOld, kNew}) {
    told.note(mark);
    EXPECT_NE(told.told(Telling::filters).filters, changes);
    changes = told.told(Telling::filters).filters;
  }
  told.note({kNew.filter, Watermark{{2, 2}, 1}});
  EXPECT_NE(told.told(Telling::filters).filters, changes) << "of another source";
}

TEST(ToldWatermark, IsLowerOnceItWasLookedAt) {
  ToldWatermark told;
  told.note(kNew);
  const ToldWatermark::Mark lower{kNew.filter, Watermark{kHere, 50}};
  told.replace(told.notes(), lower);
  EXPECT_EQ(told.now(), lower);
}

// It was put back and has come up again while somebody looked.
TEST(ToldWatermark, WhatWasToldDuringTheLookStays) {
  ToldWatermark told;
  told.note(kNew);
  const std::uint64_t notes = told.notes();
  told.note(kNew);
  told.replace(notes, {kNew.filter, Watermark{kHere, 50}});
  EXPECT_EQ(told.now(), kNew);
}

TEST(ToldWatermark, CountsOneThatWasMissedInALook) {
  ToldWatermark told;
  told.note(kNew);
  const std::uint64_t changes = told.told(Telling::filters).filters;
  told.miss();
  EXPECT_EQ(told.told(Telling::filters).filters, changes);
  told.note({kNew.filter, Watermark{kHere, 99}});
  EXPECT_NE(told.told(Telling::filters).filters, changes);
  EXPECT_EQ(told.now(), kNew);
}

}  // namespace
}  // namespace bloomery::redis
