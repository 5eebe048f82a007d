// SPDX-License-Identifier: Apache-2.0
// Which denials behind a fence count.

#include "bloomery/place/fence_judge.h"

#include <gtest/gtest.h>

#include "bloomery/errors.h"
#include "bloomery/place/fence_source.h"

namespace bloomery {
namespace {

const Identity kJudgedSource{1, 1};

// The test says how far it is, and which filter it has.
class LookedAtPlace final : public FilterPlace {
 public:
  std::string name() const override { return "a place that is looked at"; }
  void ask(std::span<const Key>, std::span<Presence>, Proofs& proofs, const CallContext&) override {
    ++looks;
    if (is_away) throw StoreError("it is away");
    proofs.add(proof());
  }
  using FilterPlace::insert_many;
  void insert_many(std::span<const Key>, std::span<Inserted>, const CallContext&) override {}
  PlaceHead head(const CallContext&) override { return {}; }

  Proof proof() const {
    return {.filter = filters, .watermark = Watermark{kJudgedSource, position}};
  }
  Proofs proofs() const {
    Proofs all;
    all.add(proof());
    return all;
  }

  std::uint64_t position = 10;
  std::uint64_t filters = 7;
  int looks = 0;
  bool is_away = false;
};

struct Judged {
  LookedAtPlace place;
  std::uint64_t end = 10;
  int asked = 0;
  CounterBoard counters;
  FenceJudge judge{place,
                   [this](const CallContext&) {
                     ++asked;
                     return Fence{{kJudgedSource, end}};
                   },
                   counters};
};

TEST(FenceJudge, CountsWhatFiltersDenyThatWereKnown) {
  for (const bool looks : {false, true}) {
    Judged now;
    const JudgedFence asked = now.judge.ask(now.place.proofs(), looks, {});
    EXPECT_EQ(asked.fence.at_least, (Watermark{kJudgedSource, 10}));
    EXPECT_EQ(now.place.looks, looks ? 1 : 0);
    EXPECT_TRUE(now.judge.counts(asked, now.place.proofs()));
    now.place.filters = 8;  // another one answers by now
    EXPECT_FALSE(now.judge.counts(asked, now.place.proofs()));
    EXPECT_TRUE(now.judge.counts(now.judge.ask(now.place.proofs(), looks, {}), now.place.proofs()));
  }
}

TEST(FenceJudge, WhatCouldNotBeLookedAtIsNotKnown) {
  Judged now;
  now.place.is_away = true;
  const JudgedFence asked = now.judge.ask({}, /*looks=*/true, {});
  EXPECT_FALSE(now.judge.counts(asked, now.place.proofs()));
  // Unless an answer of just now said it.
  const JudgedFence again = now.judge.ask(now.place.proofs(), /*looks=*/true, {});
  EXPECT_TRUE(now.judge.counts(again, now.place.proofs()));
}

TEST(FenceJudge, ADenialThatRestsOnNothingDoesNotCount) {
  Judged now;
  const JudgedFence asked = now.judge.ask(now.place.proofs(), /*looks=*/false, {});
  EXPECT_FALSE(now.judge.counts(asked, {}));
  now.place.filters = 0;  // it does not know which filter that was
  const JudgedFence unknown = now.judge.ask(now.place.proofs(), /*looks=*/false, {});
  EXPECT_FALSE(now.judge.counts(unknown, now.place.proofs()));
}

TEST(FenceJudge, EveryPartOfADenialHasToBeKnown) {
  Judged now;
  const JudgedFence asked = now.judge.ask(now.place.proofs(), /*looks=*/false, {});
  Proofs more = now.place.proofs();
  more.add({.part = 1, .filter = 7, .watermark = Watermark{kJudgedSource, 10}});
  EXPECT_FALSE(now.judge.counts(asked, more));
  EXPECT_TRUE(now.judge.counts(now.judge.ask(more, /*looks=*/false, {}), more));
}

TEST(FenceJudge, AsksAgainWhereAWatermarkHasRisenAboveTheFence) {
  Judged now;
  const JudgedFence asked = now.judge.ask(now.place.proofs(), /*looks=*/false, {});
  EXPECT_TRUE(now.judge.is_confirmed(asked, now.place.proofs(), {}));
  EXPECT_EQ(now.asked, 1);
  now.place.position = 12;
  now.end = 11;
  EXPECT_FALSE(now.judge.is_confirmed(asked, now.place.proofs(), {}))
      << "of a history that was lost";
  now.end = 12;
  EXPECT_TRUE(now.judge.is_confirmed(asked, now.place.proofs(), {}));
  EXPECT_EQ(now.asked, 3);
  EXPECT_TRUE(
      now.judge.is_confirmed({.fence = {{kJudgedSource, 10}, true}}, now.place.proofs(), {}));
  EXPECT_EQ(now.asked, 3) << "it names its history";
}

TEST(FenceJudge, WhatWasAheadStaysLostUntilAnotherTakesItsPlace) {
  Judged now;
  now.end = 5;
  EXPECT_THROW(now.judge.ask(now.place.proofs(), false, {}), SourceChanged);
  now.end = 10;
  EXPECT_THROW(now.judge.ask(now.place.proofs(), false, {}), SourceChanged);
  now.place.is_away = true;
  EXPECT_THROW(now.judge.ask(now.place.proofs(), false, {}), SourceChanged);
  // Below the fence it may be asked, which may show that another one is there.
  now.end = 20;
  EXPECT_FALSE(now.judge.counts(now.judge.ask(now.place.proofs(), false, {}), now.place.proofs()));
  now.place.is_away = false;
  EXPECT_FALSE(now.judge.counts(now.judge.ask(now.place.proofs(), false, {}), now.place.proofs()));
  now.place.filters = 8;
  EXPECT_TRUE(now.judge.counts(now.judge.ask(now.place.proofs(), false, {}), now.place.proofs()));
}

}  // namespace
}  // namespace bloomery
