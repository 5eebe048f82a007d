// SPDX-License-Identifier: Apache-2.0
// Which denials behind a fence count.

#include "bloomery/place/fence_judge.h"

#include <gtest/gtest.h>

#include "bloomery/errors.h"
#include "bloomery/place/fence_source.h"

namespace bloomery {
namespace {

const Identity kJudgedSource{1, 1};

// Of which the test says what it has told, and what it is now.
class ToldPlace final : public FilterPlace {
 public:
  std::string name() const override { return "a told place"; }
  void ask(std::span<const Key>, std::span<Presence>, Proofs& proofs,
           const CallContext&) override {
    ++looks;
    if (is_away) throw StoreError("it is away");
    proofs.add(proof());
  }
  using FilterPlace::insert_many;
  void insert_many(std::span<const Key>, std::span<Inserted>, const CallContext&) override {}
  PlaceHead head(const CallContext&) override { return {}; }
  Told told(Telling telling, const CallContext&) override {
    if (telling == Telling::filters) return {.filters = filters};
    return {.filters = filters, .watermarks = {{kJudgedSource, position}}};
  }

  Proof proof() const { return {.filter = filters, .watermark = Watermark{kJudgedSource, position}}; }
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
  ToldPlace place;
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

TEST(FenceJudge, CountsWhatFiltersDenyThatHadBeenTold) {
  for (const bool looks : {false, true}) {
    Judged now;
    const JudgedFence asked = now.judge.ask(now.place.proofs(), looks, {});
    EXPECT_EQ(asked.fence.at_least, (Watermark{kJudgedSource, 10}));
    EXPECT_EQ(now.place.looks, looks ? 1 : 0);
    EXPECT_TRUE(now.judge.counts(asked, now.place.proofs(), {}));
    now.place.filters = 8;  // another one answers by now
    EXPECT_FALSE(now.judge.counts(asked, now.place.proofs(), {}));
    EXPECT_TRUE(now.judge.counts(now.judge.ask(now.place.proofs(), looks, {}), now.place.proofs(), {}));
  }
}

TEST(FenceJudge, OfWhatCouldNotBeLookedAtTheAnswersWatermarksCount) {
  Judged now;
  now.place.is_away = true;
  const JudgedFence asked = now.judge.ask({}, /*looks=*/true, {});
  EXPECT_FALSE(asked.filters);
  now.place.filters = 8;
  EXPECT_TRUE(now.judge.counts(asked, now.place.proofs(), {})) << "it is not above the fence";
  now.place.position = 11;
  EXPECT_FALSE(now.judge.counts(asked, now.place.proofs(), {}));
}

TEST(FenceJudge, AsksAgainWhereAWatermarkHasRisenAboveTheFence) {
  Judged now;
  const JudgedFence asked = now.judge.ask(now.place.proofs(), /*looks=*/false, {});
  EXPECT_TRUE(now.judge.is_confirmed(asked, now.place.proofs(), {}));
  EXPECT_EQ(now.asked, 1);
  now.place.position = 12;
  now.end = 11;
  EXPECT_FALSE(now.judge.is_confirmed(asked, now.place.proofs(), {})) << "of a history that was lost";
  now.end = 12;
  EXPECT_TRUE(now.judge.is_confirmed(asked, now.place.proofs(), {}));
  EXPECT_EQ(now.asked, 3);
  EXPECT_TRUE(now.judge.is_confirmed({.fence = {{kJudgedSource, 10}, true}}, now.place.proofs(), {}));
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
  EXPECT_FALSE(now.judge.counts(now.judge.ask(now.place.proofs(), false, {}), now.place.proofs(), {}));
  now.place.is_away = false;
  EXPECT_FALSE(now.judge.counts(now.judge.ask(now.place.proofs(), false, {}), now.place.proofs(), {}));
  now.place.filters = 8;
  EXPECT_TRUE(now.judge.counts(now.judge.ask(now.place.proofs(), false, {}), now.place.proofs(), {}));
}

}  // namespace
}  // namespace bloomery
