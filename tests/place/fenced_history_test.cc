// SPDX-License-Identifier: Apache-2.0
// A filter that is ahead of its database has another history of it, and denies nothing.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/place/fence_source.h"
#include "bloomery/place/fenced_place.h"
#include "tests/place/played_place.h"

namespace bloomery {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(FencedPlace, AnOldDumpOfTheFilterIsNotBelieved) {
  Setting setting;
  EXPECT_EQ(setting.fenced.presence_of("out"), Presence::absent);
  setting.place.set(Watermark{kHere, 3});
  EXPECT_EQ(setting.fenced.presence_of("out"), Presence::unknown);
}

// The database was put back to 5, say, and goes on from there with other rows.
TEST(FencedPlace, AFilterThatIsAheadOfItsDatabaseDeniesNothing) {
  Setting late;
  late.end = 5;
  EXPECT_THROW(late.fenced.presence_of("out"), SourceChanged) << "who comes later sees it, too";
  EXPECT_THROW(late.ask({"in", "out"}), SourceChanged);
  late.end = 9;
  EXPECT_THROW(late.fenced.presence_of("out"), SourceChanged);
  EXPECT_EQ(late.fenced.presence_of("in"), Presence::maybe);
  EXPECT_GE(late.fenced.counters().fence_failures, 3U);
  late.place.set(Watermark{kHere, 9});  // built again
  EXPECT_EQ(late.fenced.presence_of("out"), Presence::absent);

  Setting early;
  EXPECT_EQ(early.fenced.presence_of("out"), Presence::absent);
  early.end = 5;
  EXPECT_THROW(early.fenced.presence_of("out"), SourceChanged) << "at once";
  early.place.set(Watermark{kElsewhere, 10});
  EXPECT_EQ(early.fenced.presence_of("out"), Presence::unknown);
  early.place.set(Watermark{kHere, 5});
  EXPECT_EQ(early.fenced.presence_of("out"), Presence::absent);
}

// Replication domains that are deleted and come again, say, or two servers behind one address.
TEST(FencedPlace, AnotherSourceInBetweenHidesNoHistoryThatWasLost) {
  Setting setting;
  EXPECT_EQ(setting.fenced.presence_of("out"), Presence::absent);
  setting.is_elsewhere = true;
  setting.end = 4;
  EXPECT_EQ(setting.fenced.presence_of("out"), Presence::unknown);
  setting.is_elsewhere = false;
  setting.end = 5;
  EXPECT_THROW(setting.fenced.presence_of("out"), SourceChanged) << "at once";
}

// A place whose header has the lowest watermark of its parts, or none where a part is of another
// source.
class PlayedParts final : public FilterPlace {
 public:
  std::string name() const override { return "a played place of parts"; }
  void ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
           const CallContext& context) override {
    place.presence_of_many(keys, answers, context);
    for (std::uint32_t i = 0; i < all.size(); ++i) proofs.add({i, 1, all[i]});
  }
  using FilterPlace::insert_many;
  void insert_many(std::span<const Key> keys, std::span<Inserted> outcomes,
                   const CallContext& context) override {
    place.insert_many(keys, outcomes, context);
  }
  PlaceHead head(const CallContext&) override { return {}; }

  PlayedPlace place;  // the part that is asked
  std::vector<Watermark> all;
};

TEST(FencedPlace, APartThatIsAheadOfItsDatabaseDeniesNothing) {
  PlayedParts parts;
  parts.place.set(Watermark{kHere, 10});
  parts.all = {{kHere, 4}, {kHere, 10}, {kElsewhere, 20}};
  std::uint64_t end = 10;
  FencedPlace fenced(parts,
                     [&](const CallContext&) {
                       return Fence{{kHere, end}};
                     },
                     {.longest_wait = milliseconds(0)});
  EXPECT_EQ(fenced.presence_of("out"), Presence::absent);
  end = 5;
  EXPECT_THROW(fenced.presence_of("out"), SourceChanged);
}

TEST(FencedPlaceBudget, AFilterThatIsAheadOfItsDatabaseDeniesNothing) {
  Setting setting({.budget = seconds(2)});
  setting.end = 5;
  EXPECT_THROW(setting.fenced.presence_of("out"), SourceChanged);
}

// The filter went ahead a moment ago, of a history that was lost before anybody had asked for as
// much of it: nothing that the database says shows that.
TEST(FencedPlace, AFilterThatWentAheadIsNoticedByTheNextQuestion) {
  for (const bool is_batch : {false, true}) {
    Setting setting;
    EXPECT_EQ(setting.fenced.presence_of("out"), Presence::absent);
    setting.place.set(Watermark{kHere, 20});
    setting.end = 15;
    if (is_batch) {
      EXPECT_THROW(setting.ask({"out"}), SourceChanged);
    } else {
      EXPECT_THROW(setting.fenced.presence_of("out"), SourceChanged);
    }
  }
}

// The rows of the new history come fast: the database is beyond the filter when it is asked again.
TEST(FencedPlace, WhatWasAheadOnceIsNotBelievedInTheSameQuestion) {
  PlayedPlace place;
  place.set(Watermark{kHere, 20});
  std::uint64_t end = 15;
  FencedPlace fenced(place,
                     [&](const CallContext&) {
                       return Fence{{kHere, std::exchange(end, 20)}};
                     },
                     {.longest_wait = milliseconds(0)});
  EXPECT_THROW(fenced.presence_of("out"), SourceChanged);
}

// The filter stands still, and nobody follows: what the database says is where the filter is.
TEST(FencedPlace, WhatWasAheadIsNotBelievedWhereTheDatabaseComesToItsVeryPosition) {
  for (const auto& options :
       {FencedOptions{.longest_wait = milliseconds(0)}, FencedOptions{.budget = milliseconds(1)}}) {
    Setting setting(options);
    setting.end = 5;
    EXPECT_THROW(setting.fenced.presence_of("out"), SourceChanged);
    setting.end = 10;
    std::this_thread::sleep_for(milliseconds(2));
    EXPECT_THROW(setting.fenced.presence_of("out"), SourceChanged);
    setting.place.set(Watermark{kElsewhere, 10});
    EXPECT_EQ(setting.fenced.presence_of("out"), Presence::unknown);
    setting.place.set(Watermark{kHere, 11});
    setting.end = 11;
    std::this_thread::sleep_for(milliseconds(2));
    EXPECT_THROW(setting.fenced.presence_of("out"), SourceChanged) << "it goes on from there";
    setting.place.set(Watermark{kHere, 4});  // built again
    setting.end = 4;
    std::this_thread::sleep_for(milliseconds(2));
    EXPECT_EQ(setting.fenced.presence_of("out"), Presence::absent);
  }
}

// A follower that was late puts rows of the lost history in while a question is on its way: the
// filter was below the fence before, and is above it when it denies.
TEST(FencedPlace, WhatRisesAboveItsFenceCountsOnlyWhereTheDatabaseIsThereToo) {
  for (const bool names_history : {false, true}) {
    PlayedPlace place;
    place.set(Watermark{kHere, 4});
    int asked = 0;
    std::uint64_t end = 5;
    FencedPlace fenced(place,
                       [&](const CallContext&) {
                         ++asked;
                         const Fence said{{kHere, end}, names_history};
                         place.set(Watermark{kHere, 10});
                         return said;
                       },
                       {.longest_wait = milliseconds(0)});
    if (names_history) {
      EXPECT_EQ(fenced.presence_of("out"), Presence::absent) << "no other history has that name";
      EXPECT_EQ(asked, 1);
      continue;
    }
    EXPECT_THROW(fenced.presence_of("out"), SourceChanged);
    place.set(Watermark{kHere, 4});
    end = 12;
    asked = 0;
    EXPECT_EQ(fenced.presence_of("out"), Presence::unknown) << "not there yet";
    EXPECT_EQ(asked, 1);
  }
  // In one history the database is there by then.
  PlayedPlace place;
  place.set(Watermark{kHere, 4});
  std::uint64_t end = 5;
  FencedPlace fenced(place,
                     [&](const CallContext&) {
                       const Fence said{{kHere, std::exchange(end, 10)}};
                       place.set(Watermark{kHere, 10});
                       return said;
                     },
                     {.longest_wait = milliseconds(0)});
  EXPECT_EQ(fenced.presence_of("out"), Presence::absent);
  EXPECT_EQ(fenced.counters().fence_questions, 2U);
}

// A place in a server, which may be away for some trips.
class DistantPlace final : public FilterPlace {
 public:
  std::string name() const override { return "a distant place"; }
  void ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
           const CallContext& context) override {
    looks += keys.empty() ? 1 : 0;
    if (!travels()) {
      if (throws_when_away || keys.empty()) throw StoreError("the server is away");
      return;
    }
    place.presence_of_many(keys, answers, context);
    proofs.add({.filter = filter, .watermark = place.head({}).watermark});
  }
  using FilterPlace::insert_many;
  void insert_many(std::span<const Key> keys, std::span<Inserted> outcomes,
                   const CallContext& context) override {
    place.insert_many(keys, outcomes, context);
  }
  PlaceHead head(const CallContext& context) override { return place.head(context); }

  bool travels() {
    if (trips.empty()) return true;
    const bool arrives = trips.front() == '+';
    trips.erase(0, 1);
    return arrives;
  }

  PlayedPlace place;
  std::uint64_t filter = 1;
  int looks = 0;
  std::string trips{};  // those that come, by a sign each; '-' fails
  bool throws_when_away = true;
};

// A filter at 10, of a history that was lost; its database is at 5.
struct Lost {
  explicit Lost(const FencedOptions& options)
      : fenced(
            place,
            [this](const CallContext&) {
              return Fence{{kHere, end}};
            },
            options) {
    place.place.set(Watermark{kHere, 10});
  }

  DistantPlace place;
  std::uint64_t end = 5;
  FencedPlace fenced;
};

TEST(FencedPlace, WhatWasAheadIsSoUntilItIsLookedAt) {
  Lost lost({.longest_wait = milliseconds(0)});
  EXPECT_THROW(lost.fenced.presence_of("out"), SourceChanged);
  lost.place.trips = "+-+";
  EXPECT_THROW(lost.fenced.presence_of("out"), SourceChanged)
      << "it was away when it was looked at";
}

TEST(FencedPlace, AFilterThatAnswersOnlyBehindTheFenceDeniesNothing) {
  Lost lost({.longest_wait = milliseconds(0)});
  lost.place.throws_when_away = false;
  lost.place.trips = "-+";
  EXPECT_THROW(lost.fenced.presence_of("out"), SourceChanged);
  lost.end = 10;
  lost.place.trips = "-+";
  EXPECT_THROW(lost.fenced.presence_of("out"), SourceChanged) << "it stood there in between";
  ++lost.place.filter;  // built again
  EXPECT_EQ(lost.fenced.presence_of("out"), Presence::absent) << "in step with its database";
}

TEST(FencedPlaceBudget, AFilterThatWasAwayWhenTheFenceWasAskedDeniesNothing) {
  Lost lost({.budget = seconds(2)});
  lost.place.trips = "--";
  EXPECT_THROW(lost.fenced.presence_of("out"), StoreError);
  EXPECT_THROW(lost.fenced.presence_of("out"), SourceChanged);

  Lost seen({.budget = seconds(2)});
  seen.place.trips = "-++";
  EXPECT_THROW(seen.fenced.presence_of("out"), SourceChanged) << "by the answer that denied";
}

// The place is looked at once more for the answer that came.
TEST(FencedPlaceBudget, AfterALookThatFailedAFilterDeniesBehindTheNextFence) {
  Lost setting({.budget = seconds(2)});
  setting.end = 10;
  setting.place.trips = "-";
  EXPECT_EQ(setting.fenced.presence_of("out"), Presence::absent);
  EXPECT_EQ(setting.place.looks, 2);
}

TEST(FencedPlace, LooksAtNothingBesideTheAnswersWhileAllIsWell) {
  DistantPlace place;
  std::uint64_t end = 10;
  FencedPlace fenced(place,
                     [&](const CallContext&) {
                       return Fence{{kHere, end}};
                     },
                     {.longest_wait = milliseconds(0)});
  for (; end < 20; ++end) {
    place.place.set(Watermark{kHere, end});
    EXPECT_EQ(fenced.presence_of("out"), Presence::absent);
  }
  EXPECT_EQ(place.looks, 0);
}

}  // namespace
}  // namespace bloomery
