// SPDX-License-Identifier: Apache-2.0
// A filter in this process, in front of the same one far away.

#include "bloomery/place/local_copy.h"

#include <gtest/gtest.h>

#include "bloomery/errors.h"
#include "bloomery/filter/filter_kinds.h"
#include "bloomery/place/fence_source.h"
#include "bloomery/place/fenced_place.h"
#include "bloomery/place/memory_place.h"
#include "tests/guard/followed.h"

namespace bloomery {
namespace {

using std::chrono::milliseconds;

const Identity kFar{5, 5};
const FilterOptions kSmall{.capacity = 10'000, .false_positive_rate = 0.0001};

// A place that counts its trips.
class FarPlace final : public FollowedFilter {
 public:
  FarPlace() { place_.ready(); }
  std::string name() const override { return "a far place"; }
  void ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
           const CallContext& context) override {
    if (keys.empty() && is_away) throw StoreError("a far place: away");
    trips += keys.empty() ? 0 : 1;
    place_.ask(keys, answers, proofs, context);
  }
  using FilterPlace::insert_many;
  void insert_many(std::span<const Key> keys, std::span<Inserted> outcomes,
                   const CallContext& context) override {
    const std::lock_guard lock(mutex_);
    place_.insert_many(keys, outcomes, context);
  }
  PlaceHead head(const CallContext&) override {
    if (is_away) throw StoreError("a far place: away");
    PlaceHead head = place_.head();
    head.parameters.geometry.bit_count = 8 * size;
    return head;
  }
  AnyFilter copy(const CallContext&) override {
    if (fails) throw StoreError("a far place: away");
    AnyFilter copy = make_filter(FilterKind::blocked, kSmall);
    {
      const std::lock_guard lock(mutex_);  // nobody inserts beside a merge
      copy.merge(*place_.filter());
    }
    if (before_copied) before_copied();
    return copy;
  }
  bool insert_and_advance(std::span<const Key> keys, PlaceHead& head, const Watermark& next,
                          const CallContext&) override {
    const std::lock_guard lock(mutex_);
    return place_.insert_and_advance(keys, head, next);
  }
  std::unique_ptr<Rebuild> begin_rebuild(const FilterOptions& options,
                                         const CallContext&) override {
    return place_.begin_rebuild(options);
  }
  void reach(std::uint64_t position) {
    PlaceHead head = place_.head();
    ASSERT_TRUE(place_.insert_and_advance({}, head, {kFar, position}));
  }

  std::atomic<int> trips = 0;
  std::atomic<bool> fails = false;
  std::atomic<bool> is_away = false;
  std::atomic<std::uint64_t> size = 1'000;
  std::function<void()> before_copied;  // what it gives is read by then

 private:
  std::mutex mutex_;
  MemoryPlace<AnyFilter> place_{make_filter(FilterKind::blocked, kSmall)};
};

void wait_for_copies(const LocalCopy& local, std::uint64_t count) {
  while (local.copies() < count) std::this_thread::sleep_for(milliseconds(1));
}

const LocalCopyOptions kOften{.look_every = milliseconds(1)};

TEST(LocalCopy, BehindAFenceThatItReachesNothingCostsATrip) {
  FarPlace far;
  far.insert("in");
  far.reach(5);
  LocalCopy local(far, kOften);
  wait_for_copies(local, 1);
  const Fence fence{{kFar, 5}};
  const CallContext behind{.fence = &fence};
  EXPECT_EQ(local.presence_of("in", behind), Presence::maybe);
  EXPECT_EQ(local.presence_of("out", behind), Presence::absent);
  std::vector<Key> keys{"in", "out"};
  std::vector<Presence> answers(2, Presence::unknown);
  local.presence_of_many(keys, answers, behind);
  EXPECT_EQ(answers, (std::vector{Presence::maybe, Presence::absent}));
  EXPECT_EQ(far.trips, 0);
  const Fence further{{kFar, 6}};
  EXPECT_EQ(local.presence_of("out", {.fence = &further}), Presence::unknown);
  EXPECT_EQ(far.trips, 1);
}

TEST(LocalCopy, WithoutAFenceThePlaceHasTheLastWord) {
  FarPlace far;
  far.reach(5);
  LocalCopy local(far, kOften);
  wait_for_copies(local, 1);
  far.insert("new");  // by another process
  EXPECT_EQ(local.presence_of("new"), Presence::maybe);
  EXPECT_EQ(local.presence_of("out"), Presence::absent);
  EXPECT_EQ(far.trips, 2);
}

TEST(LocalCopy, IsReadAgainWhenTheWatermarkMoves) {
  FarPlace far;
  far.reach(5);
  LocalCopy local(far, kOften);
  wait_for_copies(local, 1);
  far.insert("row 6");
  far.reach(6);
  wait_for_copies(local, 2);
  const Fence fence{{kFar, 6}};
  EXPECT_EQ(local.presence_of("row 6", {.fence = &fence}), Presence::maybe);
  EXPECT_EQ(local.presence_of("out", {.fence = &fence}), Presence::absent);
  EXPECT_EQ(far.trips, 0);
  std::this_thread::sleep_for(milliseconds(10));
  EXPECT_EQ(local.copies(), 2U) << "nothing has changed";
}

TEST(LocalCopy, AKeyThatIsInsertedWhileItIsReadIsInIt) {
  FarPlace far;
  far.reach(5);
  LocalCopy* self = nullptr;
  std::atomic<bool> is_set = false;
  std::atomic<bool> is_first = true;
  far.before_copied = [&] {
    while (!is_set) std::this_thread::yield();
    if (is_first.exchange(false)) self->insert("late");
  };
  LocalCopy local(far, kOften);
  self = &local;
  is_set = true;
  wait_for_copies(local, 1);
  const Fence fence{{kFar, 5}};
  EXPECT_EQ(local.presence_of("late", {.fence = &fence}), Presence::maybe);
  local.insert("later");
  EXPECT_EQ(local.presence_of("later", {.fence = &fence}), Presence::maybe);
  EXPECT_EQ(far.trips, 0);
}

TEST(LocalCopy, WhereItCannotBeReadThePlaceIsAsked) {
  FarPlace far;
  far.reach(5);
  far.fails = true;
  LocalCopy local(far, kOften);
  while (local.last_error().empty()) std::this_thread::yield();
  const Fence fence{{kFar, 5}};
  EXPECT_EQ(local.presence_of("out", {.fence = &fence}), Presence::absent);
  EXPECT_EQ(far.trips, 1);
  far.fails = false;
  wait_for_copies(local, 1);
  far.size = 1'000'000'000;
  far.reach(6);
  while (local.last_error().find("most_bytes") == std::string::npos) std::this_thread::yield();
  EXPECT_THROW(LocalCopy(far, {.look_every = milliseconds(0)}), std::invalid_argument);
}

// A database whose log began anew, and whose follower has built the filter again or not yet.
class LocalCopyOfBefore : public ::testing::Test {
 protected:
  LocalCopyOfBefore() { far_.reach(50); }

  void begin_anew() {
    end_ = 10;
    const auto rebuild = far_.begin_rebuild(kSmall, {});
    rebuild->insert_many(std::vector<Key>{"new row"});
    rebuild->commit_at({kFar, 10});
  }
  Presence ask(LocalCopy& local) {
    FencedPlace fenced(local,
                       [this](const CallContext&) {
                         return Fence{{kFar, end_}};
                       },
                       {.budget = milliseconds(60), .longest_wait = milliseconds(0)});
    return fenced.presence_of("new row");
  }

  FarPlace far_;
  std::uint64_t end_ = 50;
};

TEST_F(LocalCopyOfBefore, DeniesNoRowOnceAnotherFilterIsInThePlace) {
  LocalCopy local(far_, {.look_every = std::chrono::hours(1)});
  wait_for_copies(local, 1);
  ASSERT_EQ(ask(local), Presence::absent) << "the control";
  begin_anew();
  EXPECT_EQ(ask(local), Presence::maybe);
}

TEST_F(LocalCopyOfBefore, DeniesNoRowWhereTheOtherFilterCannotBeCopied) {
  LocalCopy local(far_, kOften);
  wait_for_copies(local, 1);
  far_.size = 1'000'000'000;
  begin_anew();
  while (local.last_error().find("most_bytes") == std::string::npos) std::this_thread::yield();
  const Fence fence{{kFar, 10}};
  EXPECT_EQ(local.presence_of("new row", {.fence = &fence}), Presence::maybe);
}

TEST_F(LocalCopyOfBefore, DeniesNoRowWhereThePlaceIsAway) {
  LocalCopy local(far_, {.look_every = std::chrono::hours(1)});
  wait_for_copies(local, 1);
  far_.is_away = true;
  EXPECT_EQ(ask(local), Presence::absent) << "the control";
  begin_anew();
  EXPECT_THROW(ask(local), SourceChanged) << "the copy is ahead of the database";
}

// The copy is behind the fence, and the place ahead of it, which nobody has seen.
TEST_F(LocalCopyOfBefore, DeniesNoRowByAPlaceThatCouldNotBeLookedAt) {
  LocalCopy local(far_, {.look_every = std::chrono::hours(1)});
  wait_for_copies(local, 1);
  far_.reach(100);
  far_.is_away = true;
  end_ = 55;
  EXPECT_EQ(ask(local), Presence::unknown);
}

// The head is looked at while a copy of the old filter is on its way.
TEST_F(LocalCopyOfBefore, DeniesNoRowAfterACopyThatCameTooLate) {
  std::atomic<bool> is_under_way = false;
  std::atomic<bool> may_end = false;
  far_.before_copied = [&] {
    is_under_way = true;
    while (!may_end) std::this_thread::yield();
  };
  LocalCopy local(far_, {.look_every = std::chrono::hours(1)});
  while (!is_under_way) std::this_thread::yield();
  begin_anew();
  EXPECT_EQ(local.head().watermark, (Watermark{kFar, 10}));
  may_end = true;
  while (local.last_error().empty()) std::this_thread::yield();
  const Fence fence{{kFar, 10}};
  EXPECT_EQ(local.presence_of("new row", {.fence = &fence}), Presence::maybe);
}

// Rows that are older than the budget are never denied, by a copy that is always a little old.
TEST(LocalCopy, WithinABudgetNothingOlderIsDenied) {
  FollowedDatabase database;
  FarPlace far;
  PlayedFollower follower(
      database, far,
      {.lag = milliseconds(3), .rebuild_every = milliseconds(40), .rebuilt = kSmall});
  LocalCopy local(far, kOften);
  FencedPlace fenced(local, [&](const CallContext&) { return Fence{database.end()}; },
                     {.budget = milliseconds(60)});
  int denied = 0;
  int absent = 0;
  for (int i = 0; i < 8; ++i) {
    const std::string key = std::to_string(i);
    database.commit(key);
    for (int n = 0; n < 6; ++n) {
      std::this_thread::sleep_for(milliseconds(10) + std::chrono::microseconds(200));
      absent += fenced.presence_of("never") == Presence::absent ? 1 : 0;
    }
    denied += fenced.presence_of(key) == Presence::absent ? 1 : 0;
  }
  EXPECT_EQ(denied, 0);
  EXPECT_GT(absent, 0);
  EXPECT_GT(local.copies(), 1U);
}

}  // namespace
}  // namespace bloomery
