// Absent is only said behind a fence, and what that costs.

#include "bloomery/guard/fenced_place.h"

#include <gtest/gtest.h>

#include <set>

#include "bloomery/errors.h"
#include "bloomery/filter/fence_source.h"
#include "tests/support/run_threads.h"

namespace bloomery {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const Identity kHere{1, 1};
const Identity kElsewhere{2, 2};

// Says of itself what a test wants.
class PlayedPlace final : public FilterPlace {
 public:
  std::string name() const override { return "a played place"; }
  void presence_of_many(std::span<const Key> keys, std::span<Presence> answers,
                        const CallContext& context) override {
    ++questions;
    fenced_questions += context.fence != nullptr ? 1 : 0;
    const std::lock_guard lock(mutex_);
    const bool may_deny = context.fence == nullptr ||
                          (head_.watermark && head_.watermark->reaches(context.fence->at_least));
    for (std::size_t i = 0; i < keys.size(); ++i) {
      answers[i] = members_.contains(std::string(keys[i]))         ? Presence::maybe
                   : may_deny && head_.no_absent == NoAbsent::none ? Presence::absent
                                                                   : Presence::unknown;
    }
  }
  using FilterPlace::insert_many;
  void insert_many(std::span<const Key> keys, std::span<Inserted>, const CallContext&) override {
    const std::lock_guard lock(mutex_);
    for (const Key key : keys) members_.emplace(key);
  }
  PlaceHead head(const CallContext&) override {
    const std::lock_guard lock(mutex_);
    return head_;
  }
  void set(std::optional<Watermark> watermark, NoAbsent no_absent = NoAbsent::none) {
    const std::lock_guard lock(mutex_);
    head_.watermark = watermark;
    head_.no_absent = no_absent;
  }

  std::atomic<int> questions = 0;
  std::atomic<int> fenced_questions = 0;

 private:
  std::mutex mutex_;
  PlaceHead head_;
  std::set<std::string> members_;
};

// A place at 10 with the key "in", before a database at 10.
struct Setting {
  explicit Setting(const FencedOptions& options = {.longest_wait = milliseconds(0)})
      : fenced(
            place,
            [this](const CallContext&) {
              ++asked;
              if (fails) throw StoreError("the database is away");
              return Fence{{is_elsewhere ? kElsewhere : kHere, end}};
            },
            options) {
    place.set(Watermark{kHere, 10});
    place.insert("in");
  }

  std::vector<Presence> ask(std::vector<Key> keys, const CallContext& context = {}) {
    std::vector<Presence> answers(keys.size(), Presence::unknown);
    fenced.presence_of_many(keys, answers, context);
    return answers;
  }

  PlayedPlace place;
  std::atomic<std::uint64_t> end = 10;
  std::atomic<bool> is_elsewhere = false;
  std::atomic<bool> fails = false;
  std::atomic<int> asked = 0;
  FencedPlace fenced;
};

TEST(FencedPlace, DeniesOnlyBehindHowFarTheDatabaseIs) {
  Setting setting;
  EXPECT_EQ(setting.fenced.presence_of("out"), Presence::absent);
  setting.end = 11;
  EXPECT_EQ(setting.fenced.presence_of("out"), Presence::unknown);
  EXPECT_EQ(setting.fenced.counters().fenced, 1U);
  EXPECT_EQ(setting.fenced.counters().fence_behind, 1U);
}

TEST(FencedPlace, WhatMayBeThereCostsNoQuestion) {
  Setting setting;
  EXPECT_EQ(setting.fenced.presence_of("in"), Presence::maybe);
  EXPECT_EQ(setting.ask({"in", "in"}), std::vector(2, Presence::maybe));
  EXPECT_EQ(setting.asked, 0);
  EXPECT_EQ(setting.place.questions, 2);
}

TEST(FencedPlace, ABatchIsOneQuestion) {
  Setting setting;
  EXPECT_EQ(setting.ask({"a", "in", "b", "c"}),
            (std::vector{Presence::absent, Presence::maybe, Presence::absent, Presence::absent}));
  EXPECT_EQ(setting.asked, 1);
  EXPECT_EQ(setting.place.questions, 2);
  EXPECT_EQ(setting.fenced.waits().count(), 1U);
}

TEST(FencedPlace, WaitsForTheWatermark) {
  Setting setting({.longest_wait = seconds(60)});
  setting.end = 11;
  std::thread follower([&] {
    while (setting.place.fenced_questions == 0) std::this_thread::yield();
    std::this_thread::sleep_for(milliseconds(3));
    setting.place.set(Watermark{kHere, 11});
  });
  EXPECT_EQ(setting.ask({"a", "in", "b"}),
            (std::vector{Presence::absent, Presence::maybe, Presence::absent}));
  follower.join();
}

TEST(FencedPlace, AKeyThatComesWhileOneWaitsIsNotDenied) {
  Setting setting({.longest_wait = seconds(60)});
  setting.end = 11;
  std::thread follower([&] {
    while (setting.place.fenced_questions == 0) std::this_thread::yield();
    setting.place.insert("late");
    setting.place.set(Watermark{kHere, 11});
  });
  EXPECT_EQ(setting.ask({"a", "late"}), (std::vector{Presence::absent, Presence::maybe}));
  follower.join();
}

TEST(FencedPlace, WhereTheWatermarkStandsStillNobodyAsksTheDatabaseUntilItMoves) {
  Setting setting({.longest_wait = milliseconds(1)});
  setting.end = 20;
  const auto began = std::chrono::steady_clock::now();
  while (setting.fenced.counters().fence_skips == 0) {
    EXPECT_EQ(setting.fenced.presence_of("out"), Presence::unknown);
  }
  EXPECT_GE(std::chrono::steady_clock::now() - began, milliseconds(400)) << "who comes first waits";
  const int asked = setting.asked;
  for (int i = 0; i < 100; ++i) EXPECT_EQ(setting.fenced.presence_of("out"), Presence::unknown);
  EXPECT_LE(setting.asked, asked + 10) << "one in a while tries";
  EXPECT_GE(setting.fenced.counters().fence_skips, 90U);
  EXPECT_EQ(setting.fenced.presence_of("in"), Presence::maybe);
  setting.place.set(Watermark{kHere, 20});
  EXPECT_EQ(setting.fenced.presence_of("out"), Presence::absent) << "at once";
  setting.end = 21;
  setting.place.set(Watermark{kHere, 21});
  EXPECT_EQ(setting.ask({"out"}), std::vector{Presence::absent});
}

TEST(FencedPlace, AnotherSourceIsBelievedOnceTheFenceNamesIt) {
  Setting setting;
  setting.place.set(Watermark{kElsewhere, 99});
  EXPECT_EQ(setting.fenced.presence_of("out"), Presence::unknown);
  setting.place.set(std::nullopt);
  EXPECT_EQ(setting.fenced.presence_of("out"), Presence::unknown);
  EXPECT_GE(setting.fenced.counters().fence_foreign, 1U);
  setting.place.set(Watermark{kHere, 10});
  EXPECT_EQ(setting.fenced.presence_of("out"), Presence::absent);
}

// As a rebuild leaves it, until its follower has told how far it is.
TEST(FencedPlace, WaitsForAWatermarkWhereThereIsNone) {
  Setting setting({.longest_wait = seconds(60)});
  setting.place.set(std::nullopt);
  std::thread follower([&] {
    while (setting.place.fenced_questions == 0) std::this_thread::yield();
    setting.place.set(Watermark{kHere, 10});
  });
  EXPECT_EQ(setting.fenced.presence_of("out"), Presence::absent);
  follower.join();
}

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

// Its head has the lowest of its parts, or none where one is of another source.
class PlayedParts final : public FilterPlace {
 public:
  std::string name() const override { return "a played place of parts"; }
  void presence_of_many(std::span<const Key> keys, std::span<Presence> answers,
                        const CallContext& context) override {
    place.presence_of_many(keys, answers, context);
  }
  using FilterPlace::insert_many;
  void insert_many(std::span<const Key> keys, std::span<Inserted> outcomes,
                   const CallContext& context) override {
    place.insert_many(keys, outcomes, context);
  }
  PlaceHead head(const CallContext&) override { return {}; }
  std::vector<Watermark> watermarks(const CallContext&) override { return all; }

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

// Also one that went ahead a moment ago, of a history that was lost before anybody had asked for
// as much of it: nothing that the database says shows that.
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

// Of a place in a server: what its answers said, and nothing is asked beside them. The server may
// be away for some trips.
class TellingPlace final : public FilterPlace {
 public:
  std::string name() const override { return "a telling place"; }
  void presence_of_many(std::span<const Key> keys, std::span<Presence> answers,
                        const CallContext& context) override {
    if (!travels()) {
      if (throws_when_away) throw StoreError("the server is away");
      return;
    }
    place.presence_of_many(keys, answers, context);
    if (answered.empty()) ++filters;
    answered = place.watermarks();
  }
  using FilterPlace::insert_many;
  void insert_many(std::span<const Key> keys, std::span<Inserted> outcomes,
                   const CallContext& context) override {
    place.insert_many(keys, outcomes, context);
  }
  PlaceHead head(const CallContext& context) override {
    ++looks;
    if (!travels()) throw StoreError("the server is away");
    return place.head(context);
  }
  Told told(Telling, const CallContext&) override { return {filters, answered}; }

  bool travels() {
    if (trips.empty()) return true;
    const bool arrives = trips.front() == '+';
    trips.erase(0, 1);
    return arrives;
  }

  PlayedPlace place;
  std::vector<Watermark> answered{};
  std::uint64_t filters = 0;
  int looks = 0;
  std::string trips{};  // those that come, by a sign each; '-' fails
  bool throws_when_away = true;
};

// It is at 10, of a history that was lost; its database is at 5.
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

  TellingPlace place;
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
  lost.place.answered.clear();
  lost.place.trips = "-+";
  EXPECT_THROW(lost.fenced.presence_of("out"), SourceChanged) << "it stood there in between";
  ++lost.place.filters;  // built again
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

TEST(FencedPlaceBudget, WhileAFilterCannotBeLookedAtItDeniesUpToItsFence) {
  Lost setting({.budget = seconds(2)});
  setting.end = 10;
  setting.place.trips = "-";
  EXPECT_EQ(setting.fenced.presence_of("out"), Presence::absent);
}

TEST(FencedPlace, AsksForNoWatermarkBesideTheAnswersWhileAllIsWell) {
  TellingPlace place;
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

TEST(FencedPlace, AFilterThatIsNotWholeDeniesNothing) {
  Setting setting;
  setting.place.set(Watermark{kHere, 10}, NoAbsent::not_ready);
  EXPECT_EQ(setting.ask({"out", "in"}), (std::vector{Presence::unknown, Presence::maybe}));
  EXPECT_EQ(setting.fenced.counters().fence_unready, 1U);
}

TEST(FencedPlace, WhereTheDatabaseIsAwayNothingIsDenied) {
  Setting setting;
  setting.fails = true;
  std::vector<Key> keys{"out", "in", "away"};
  std::vector<Presence> answers(3, Presence::unknown);
  EXPECT_THROW(setting.fenced.presence_of_many(keys, answers), StoreError);
  EXPECT_EQ(answers, (std::vector{Presence::unknown, Presence::maybe, Presence::unknown}));
  EXPECT_THROW(setting.fenced.presence_of("out"), StoreError);
  EXPECT_EQ(setting.fenced.counters().fence_failures, 3U);
  setting.fails = false;
  EXPECT_EQ(setting.fenced.presence_of("out"), Presence::absent);
}

TEST(FencedPlace, ManyThreadsShareTheQuestionAndTheTrip) {
  Setting setting({.longest_wait = seconds(60)});
  run_threads(8, [&](int) {
    for (int i = 0; i < 200; ++i) {
      ASSERT_EQ(setting.fenced.presence_of(std::to_string(i)), Presence::absent);
    }
  });
  EXPECT_EQ(setting.fenced.counters().fenced, 1'600U);
  EXPECT_LE(setting.asked, 1'600);
}

TEST(FencedPlace, WhoBringsAFenceIsAskedBehindThat) {
  Setting setting;
  const Fence low{{kHere, 5}};
  const Fence high{{kHere, 15}};
  EXPECT_EQ(setting.fenced.presence_of("out", {.fence = &low}), Presence::absent);
  EXPECT_EQ(setting.fenced.presence_of("out", {.fence = &high}), Presence::unknown);
  EXPECT_EQ(setting.asked, 0);
}

TEST(FencedPlace, NobodyWaitsLongerThanHeSaid) {
  Setting setting({.longest_wait = seconds(60)});
  setting.end = 11;
  EXPECT_EQ(setting.ask({"out"}, CallContext::within(milliseconds(5))),
            std::vector{Presence::unknown});
  EXPECT_EQ(setting.fenced.counters().fence_skips, 0U);
  setting.place.set(Watermark{kHere, 11});
  EXPECT_EQ(setting.fenced.presence_of("out"), Presence::absent)
      << "who had no time says nothing about the place";
}

TEST(FencedPlace, RefusesToDoWithoutAFence) {
  PlayedPlace place;
  EXPECT_THROW(FencedPlace(place, AskFence()), std::invalid_argument);
  EXPECT_THROW(
      FencedPlace(place, [](const CallContext&) { return Fence{}; }, {.budget = milliseconds(-1)}),
      std::invalid_argument);
}

// Two seconds, by a clock that a test sets.
struct Budget {
  CallContext::Clock::time_point now{seconds(1'000)};
  Setting setting{{.budget = seconds(2), .now = [this] { return now; }}};

  Presence ask_at(milliseconds time) {
    now = CallContext::Clock::time_point(seconds(1'000) + time);
    return setting.fenced.presence_of("out");
  }
};

TEST(FencedPlaceBudget, AFenceServesForTheBudget) {
  Budget budget;
  for (int i = 0; i < 100; ++i) EXPECT_EQ(budget.ask_at(milliseconds(i)), Presence::absent);
  EXPECT_EQ(budget.setting.asked, 1);
  EXPECT_EQ(budget.setting.place.questions, 100) << "each asked once";
  EXPECT_EQ(budget.setting.ask({"out", "in"}), (std::vector{Presence::absent, Presence::maybe}));
}

TEST(FencedPlaceBudget, TheFilterMayBeBehindWithinTheBudget) {
  Budget budget;
  EXPECT_EQ(budget.ask_at(milliseconds(0)), Presence::absent);
  budget.setting.end = 11;  // a row that the filter does not have yet
  for (int i = 0; i <= 2'000; i += 100) {
    EXPECT_EQ(budget.ask_at(milliseconds(i)), Presence::absent) << i;
  }
  EXPECT_EQ(budget.ask_at(milliseconds(2'600)), Presence::unknown);
  budget.setting.place.set(Watermark{kHere, 11});
  EXPECT_EQ(budget.ask_at(milliseconds(2'700)), Presence::absent);
}

TEST(FencedPlaceBudget, AFenceThatCannotBeAskedServesNoLonger) {
  Budget budget;
  EXPECT_EQ(budget.ask_at(milliseconds(0)), Presence::absent);
  budget.setting.fails = true;
  EXPECT_EQ(budget.ask_at(milliseconds(2'000)), Presence::absent);
  EXPECT_THROW(budget.ask_at(milliseconds(2'001)), StoreError);
  budget.setting.fails = false;
  EXPECT_EQ(budget.ask_at(milliseconds(2'002)), Presence::absent);
}

TEST(FencedPlaceBudget, AWatermarkThatGoesBackIsNotBelieved) {
  Budget budget;
  EXPECT_EQ(budget.ask_at(milliseconds(0)), Presence::absent);
  budget.setting.place.set(Watermark{kHere, 9});
  EXPECT_EQ(budget.ask_at(milliseconds(10)), Presence::unknown);
}

// A row committed longer ago than the budget is never denied, however the threads meet.
TEST(FencedPlaceBudget, NeverDeniesWhatIsOlder) {
  Setting setting({.budget = milliseconds(20)});
  std::atomic<bool> is_over = false;
  std::thread follower([&] {
    while (!is_over) {
      const std::uint64_t end = setting.end;
      for (std::uint64_t i = 10; i < end; ++i) setting.place.insert(std::to_string(i));
      setting.place.set(Watermark{kHere, end});
      std::this_thread::sleep_for(milliseconds(3));
    }
  });
  int denied = 0;
  int absent = 0;
  for (int i = 0; i < 5; ++i) {
    const std::string key = std::to_string(setting.end.fetch_add(1));
    std::this_thread::sleep_for(milliseconds(21));
    denied += setting.fenced.presence_of(key) == Presence::absent ? 1 : 0;
    absent += setting.fenced.presence_of("never") == Presence::absent ? 1 : 0;
  }
  is_over = true;
  follower.join();
  EXPECT_EQ(denied, 0);
  EXPECT_GT(absent, 0);
}

TEST(WaitTimes, SaysWhatMostTook) {
  WaitTimes times;
  EXPECT_EQ(times.quantile(0.5).count(), 0);
  for (int i = 1; i <= 1'000; ++i) times.add(std::chrono::microseconds(i));
  EXPECT_EQ(times.count(), 1'000U);
  EXPECT_NEAR(static_cast<double>(times.quantile(0.5).count()), 500, 64);
  EXPECT_NEAR(static_cast<double>(times.quantile(0.99).count()), 990, 128);
  EXPECT_GE(times.quantile(1).count(), 1'000);
}

}  // namespace
}  // namespace bloomery
