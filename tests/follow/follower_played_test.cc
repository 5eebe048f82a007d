// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/follow/follower.h"
#include "bloomery/place/memory_place.h"
#include "tests/follow/followed_in_front.h"
#include "tests/follow/follower_fixture.h"

// A follower between sources and places that do what real ones seldom do.

namespace bloomery {
namespace {

// A database that kept much for a follower that was away, and gives it a row at a time.
struct Backlog : ChangeSource, FenceSource {
  static constexpr std::uint64_t kRows = 5;

  std::string name() const override { return "backlog"; }
  bool start(const std::optional<Watermark>& from, const CallContext&) override {
    at = from ? from->position : 0;
    return from.has_value();
  }
  SourceTotals scan(const BatchConsumer&, const CallContext&) override { return {}; }
  std::optional<std::uint64_t> expected_count() override { return kRows; }
  void poll(const ChangeConsumer& consumer, std::chrono::milliseconds,
            const CallContext&) override {
    if (at < kRows) ++at;
    const std::string text = "row " + std::to_string(at);
    const Key key(text);
    consumer({.keys = {&key, 1}, .watermark = Watermark{source, at}});
  }
  void confirm(const Watermark&) override {}
  std::string remove(const CallContext&) override { return {}; }
  Watermark ask(const CallContext&) override { return {source, kRows}; }

  Identity source = Identity::random();
  std::uint64_t at = 0;
};

TEST_F(FollowerTest, OnceEndsWhenAllThatWasThereHasCome) {
  MemoryPlace<> place(blocked({.capacity = 1000}));
  Backlog database;
  place.ready();
  PlaceHead head = place.head();
  ASSERT_TRUE(place.insert_and_advance({}, head, Watermark{database.source, 1}));
  Follower(database, place, {}).run_once({}, database);
  EXPECT_EQ(place.head().watermark->position, Backlog::kRows);
}

// A database in which somebody else's scan makes the table another source behind the first fence.
struct RenamedBacklog final : Backlog {
  static constexpr int kMostPolls = 100;

  void poll(const ChangeConsumer& consumer, std::chrono::milliseconds patience,
            const CallContext& context) override {
    if (++polls > kMostPolls) throw StoreError("it would follow for ever");
    Backlog::poll(consumer, patience, context);
  }
  Watermark ask(const CallContext& context) override {
    const Watermark now = Backlog::ask(context);
    if (polls == 0) source = Identity::random();
    return now;
  }

  int polls = 0;
};

TEST_F(FollowerTest, OnceEndsThoughTheTableHasBecomeAnotherSource) {
  MemoryPlace<> place(blocked({.capacity = 1000}));
  RenamedBacklog database;
  place.ready();
  PlaceHead head = place.head();
  ASSERT_TRUE(place.insert_and_advance({}, head, Watermark{database.source, 1}));
  Follower(database, place, {}).run_once({}, database);
  EXPECT_TRUE(place.head().watermark->reaches({database.source, Backlog::kRows}));
}

// A database whose table is altered before the first rows come, so many times.
struct AlteredBacklog final : Backlog {
  explicit AlteredBacklog(int times) : times_left(times) {}

  bool start(const std::optional<Watermark>&, const CallContext& context) override {
    return Backlog::start(std::nullopt, context);
  }
  SourceTotals scan(const BatchConsumer& consumer, const CallContext& context) override {
    ++scans;
    return Backlog::scan(consumer, context);
  }
  void poll(const ChangeConsumer& consumer, std::chrono::milliseconds patience,
            const CallContext& context) override {
    if (times_left-- > 0) throw SourceChanged("altered");
    Backlog::poll(consumer, patience, context);
  }

  int times_left;
  int scans = 0;
};

TEST_F(FollowerTest, OnceReadsATableAgainThatWasAlteredMeanwhile) {
  MemoryPlace<> place(blocked({.capacity = 1000}));
  AlteredBacklog database(2);
  Follower(database, place, {}).run_once({}, database);
  EXPECT_EQ(database.scans, 3);
  EXPECT_TRUE(place.head().watermark->reaches({database.source, 1}));
}

TEST_F(FollowerTest, OnceEndsWhereATableIsAlteredAllTheTime) {
  MemoryPlace<> place(blocked({.capacity = 1000}));
  AlteredBacklog database(1000);
  EXPECT_THROW(Follower(database, place, {}).run_once({}, database), SourceChanged);
  EXPECT_EQ(database.scans, 3);
}

// A place without a watermark, as filters of other systems are.
class UnmarkedPlace final : public FollowedInFront {
 public:
  using FollowedInFront::FollowedInFront;

  PlaceHead head(const CallContext& context) override {
    PlaceHead now = place_.head(context);
    now.watermark.reset();
    return now;
  }
  std::unique_ptr<Rebuild> begin_rebuild(const FilterOptions& options,
                                         const CallContext& context) override {
    return std::make_unique<Unmarked>(place_.begin_rebuild(options, context));
  }

 private:
  struct Unmarked final : Rebuild {
    explicit Unmarked(std::unique_ptr<Rebuild> made) : rebuild(std::move(made)) {}
    void insert_many(std::span<const Key> keys, const CallContext& context) override {
      rebuild->insert_many(keys, context);
    }
    void commit(const CallContext& context) override { rebuild->commit(context); }

    const std::unique_ptr<Rebuild> rebuild;
  };
};

// The changes may have been carried by another follower into the filter whose place the new one has
// taken.
TEST_F(FollowerTest, OnceGivesAFilterWithoutAWatermarkAllThatWasThereWhenItCame) {
  MemoryPlace<> memory(blocked({.capacity = 1000}));
  UnmarkedPlace place(memory);
  Backlog database;
  memory.ready();
  Follower(database, place, {}).run_once({}, database);
  for (std::uint64_t row = 1; row <= Backlog::kRows; ++row) {
    EXPECT_EQ(memory.presence_of("row " + std::to_string(row)), Presence::maybe) << row;
  }
}

// A place that another follower moves within a transaction: a step whenever somebody looks.
class ContestedPlace final : public FollowedInFront {
 public:
  using FollowedInFront::FollowedInFront;

  PlaceHead head(const CallContext& context) override {
    if (steps_left > 0) {
      --steps_left;
      const PlaceHead now = place_.head(context);
      place_.advance(now, now.watermark.value(), context);
    }
    return place_.head(context);
  }
  bool insert_and_advance(std::span<const Key> keys, PlaceHead& head, const Watermark& next,
                          const CallContext& context) override {
    return steps_left == 0 && place_.insert_and_advance(keys, head, next, context);
  }

  std::atomic<int> steps_left = 0;
};

// Two who begin again at once, whenever they meet, carry no transaction of several steps.
TEST_F(FollowerTest, WhoFindsAnotherWithinATransactionStandsBy) {
  insert("before ", 10);
  MemoryPlace<> memory(blocked({.capacity = 1000}));
  ContestedPlace place(memory);
  const auto from = source();
  Follower follower(*from, place, {.longest_pause = std::chrono::milliseconds(1)});
  Following running(follower);
  running.wait_until_followed();
  place.steps_left = 60;
  insert("after ", 10);
  running.wait_for(fence());
  EXPECT_EQ(place.steps_left, 0);
  EXPECT_EQ(follower.status().failures, 1U);
  expect_in(memory, "after ", 10, fence());
}

// A place where the next filters cannot be made, as where memory is short.
class FullPlace final : public FollowedInFront {
 public:
  using FollowedInFront::FollowedInFront;

  std::unique_ptr<Rebuild> begin_rebuild(const FilterOptions& options,
                                         const CallContext& context) override {
    if (failures_left > 0) {
      --failures_left;
      throw StoreError("no memory");
    }
    return place_.begin_rebuild(options, context);
  }

  std::atomic<int> failures_left = 0;
};

// Soon at first, then less often, and changes are carried meanwhile.
TEST_F(FollowerTest, WhatCannotBeBuiltAgainIsTriedAgainSoon) {
  insert("before ", 10);
  MemoryPlace<> memory(blocked({.capacity = 1000}));
  FullPlace place(memory);
  const auto from = source();
  Follower follower(*from, place, {});
  Following running(follower);
  running.wait_until_followed();
  place.failures_left = 1000;
  follower.rebuild();
  running.wait_until([](const FollowerStatus& now) { return now.failures == 3; });
  insert("after ", 10);
  running.wait_for(fence());
  EXPECT_EQ(follower.status().rebuilds, 1U);
  EXPECT_LT(follower.status().failures, 100U);
  place.failures_left = 0;
  running.wait_until([](const FollowerStatus& now) { return now.rebuilds == 2; });
  expect_in(memory, "before ", 10, fence());
  expect_in(memory, "after ", 10, fence());
}

// Gives prepared changes, batch by batch.
class PlayedSource final : public ChangeSource {
 public:
  std::string name() const override { return "played"; }
  // Starts from the beginning: the source keeps all that it ever gave.
  bool start(const std::optional<Watermark>& from, const CallContext&) override {
    next_ = 0;
    return from.has_value();
  }
  SourceTotals scan(const BatchConsumer&, const CallContext&) override { return {}; }
  std::optional<std::uint64_t> expected_count() override { return 0; }
  void poll(const ChangeConsumer& consumer, std::chrono::milliseconds,
            const CallContext&) override {
    const std::size_t now = std::min<std::size_t>(next_++, batches.size() - 1);
    consumer(batches[now]);
  }
  void confirm(const Watermark&) override {}
  std::string remove(const CallContext&) override { return {}; }

  std::vector<Changes> batches{};

 private:
  std::size_t next_ = 0;
};

// A watermark that stands still is said again, also with rows of a transaction that has not ended.
TEST_F(FollowerTest, KeysAreInWhateverWatermarkTheyCameWith) {
  constexpr Identity database{.high = 1, .low = 2};
  const Watermark one{database, 1};
  const Watermark two{database, 2};
  const Key open[] = {"first", "second"};
  PlayedSource from;
  from.batches = {{.keys = {}, .watermark = one},
                  {.keys = std::span(open).first(1), .watermark = one},
                  {.keys = std::span(open).last(1), .watermark = two},
                  {.keys = {}, .watermark = two}};
  MemoryPlace<> place(blocked({.capacity = 1000}));
  Follower follower(from, place, {});
  Following running(follower);
  running.wait_for(two);
  const Fence fence{two};
  for (const Key key : open) {
    EXPECT_EQ(place.presence_of(key, {.fence = &fence}), Presence::maybe);
  }
}

// A filter of which an older copy was put back before its third step, and which another follower
// has brought to the watermark since.
class RestoredPlace final : public FollowedFilter {
 public:
  std::string name() const override { return now_->name(); }
  void ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
           const CallContext& context) override {
    now_->ask(keys, answers, proofs, context);
  }
  using FilterPlace::insert_many;
  void insert_many(std::span<const Key> keys, std::span<Inserted> outcomes,
                   const CallContext& context) override {
    now_->insert_many(keys, outcomes, context);
  }
  PlaceHead head(const CallContext& context) override { return now_->head(context); }
  bool insert_and_advance(std::span<const Key> keys, PlaceHead& head, const Watermark& next,
                          const CallContext& context) override {
    if (++steps_ == 2) {
      now_ = &restored_;
      restored_.begin_rebuild({.capacity = 1000}, {})->commit_at(*head.watermark, {});
      return false;
    }
    return now_->insert_and_advance(keys, head, next, context);
  }
  std::unique_ptr<Rebuild> begin_rebuild(const FilterOptions& options,
                                         const CallContext& context) override {
    return now_->begin_rebuild(options, context);
  }

 private:
  MemoryPlace<> first_{blocked({.capacity = 1000})};
  MemoryPlace<> restored_{blocked({.capacity = 1000})};
  FilterPlace* now_ = &first_;
  int steps_ = 0;
};

// The other has the rows of all transactions that ended, and none of one that is open.
TEST_F(FollowerTest, KeysOfAnOpenTransactionComeAgainWhereTheFilterIsAnOlderOne) {
  constexpr Identity database{.high = 1, .low = 2};
  const Watermark one{database, 1};
  const Watermark two{database, 2};
  const Key open[] = {"first", "second"};
  PlayedSource from;
  from.batches = {{.keys = {}, .watermark = one},
                  {.keys = std::span(open).first(1), .watermark = one, .has_open = true},
                  {.keys = std::span(open).last(1), .watermark = two},
                  {.keys = {}, .watermark = two}};
  RestoredPlace place;
  Follower follower(from, place, {.longest_pause = std::chrono::milliseconds(10)});
  Following running(follower);
  running.wait_for(two);
  const Fence fence{two};
  for (const Key key : open) {
    EXPECT_EQ(place.presence_of(key, {.fence = &fence}), Presence::maybe);
  }
}

// A source that cannot say how many rows there are.
class UncountedSource final : public ChangeSource {
 public:
  explicit UncountedSource(ChangeSource& source) : source_(source) {}
  std::string name() const override { return source_.name(); }
  bool start(const std::optional<Watermark>& from, const CallContext& context) override {
    return source_.start(from, context);
  }
  SourceTotals scan(const BatchConsumer& consumer, const CallContext& context) override {
    return source_.scan(consumer, context);
  }
  std::optional<std::uint64_t> expected_count() override { return std::nullopt; }
  void poll(const ChangeConsumer& consumer, std::chrono::milliseconds patience,
            const CallContext& context) override {
    source_.poll(consumer, patience, context);
  }
  void confirm(const Watermark& watermark) override { source_.confirm(watermark); }
  std::string remove(const CallContext& context) override { return source_.remove(context); }

 private:
  ChangeSource& source_;
};

TEST_F(FollowerTest, WhatASourceDoesNotCountIsCountedByTheScan) {
  insert("first ", 5'000);
  MemoryPlace<> place(blocked({.capacity = 1000}));
  const auto counted = source();
  UncountedSource from(*counted);
  Follower follower(from, place, {});
  Following running(follower);
  running.wait_until([](const FollowerStatus& now) { return now.rebuilds == 2; });
  for (const char* name : {"a ", "b ", "c "}) {
    insert(name, 1);
    running.wait_for(fence());
  }
  EXPECT_EQ(follower.status().rebuilds, 2U);
  expect_in(place, "first ", 5'000, fence());
}

}  // namespace
}  // namespace bloomery
