// SPDX-License-Identifier: Apache-2.0
#include "bloomery/place/memory_place.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "bloomery/filter/blocked_filter.h"
#include "bloomery/filter/counting_filter.h"
#include "bloomery/filter/filter_kinds.h"
#include "bloomery/filter/scalable_filter.h"
#include "tests/support/run_threads.h"

namespace bloomery {
namespace {

static_assert(PlaceableFilter<BlockedFilter> && PlaceableFilter<ScalableFilter>);
static_assert(PlaceableFilter<AnyFilter>);
static_assert(!PlaceableFilter<CountingFilter>, "erasing one key may lose another");

// The shape of a filter in memory: exact, for the test.
class BatchOnlyFilter {
 public:
  void may_contain_many(std::span<const Key> keys, std::span<bool> found) const {
    const std::lock_guard lock(mutex_);
    largest_batch = std::max(largest_batch, keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      found[i] = members_.contains(std::string(keys[i]));
    }
  }
  void insert_concurrently(Key key) {
    const std::lock_guard lock(mutex_);
    if (members_.size() >= room) throw StoreError("full");
    members_.emplace(key);
  }

  std::size_t room = SIZE_MAX;
  mutable std::size_t largest_batch = 0;

 private:
  mutable std::mutex mutex_;
  std::set<std::string> members_;
};

using Place = MemoryPlace<BatchOnlyFilter>;

TEST(MemoryPlace, NothingIsAbsentBeforeItIsReady) {
  for (const FilterKind kind : {FilterKind::classic, FilterKind::blocked, FilterKind::scalable}) {
    MemoryPlace place(make_filter(kind, {.capacity = 1'000, .false_positive_rate = 1e-4}));
    place.insert("in");
    const std::array<Key, 2> keys{"in", "out"};
    std::array<Presence, 2> answers{};
    place.presence_of_many(keys, answers);
    EXPECT_EQ(answers, (std::array{Presence::maybe, Presence::unknown}));
    EXPECT_EQ(place.presence_of("out"), Presence::unknown);

    place.ready();
    place.presence_of_many(keys, answers);
    EXPECT_EQ(answers, (std::array{Presence::maybe, Presence::absent}));
    EXPECT_EQ(place.presence_of("out"), Presence::absent);
    place.doubt();
    EXPECT_EQ(place.presence_of("out"), Presence::unknown);
  }
}

TEST(MemoryPlace, TakesNoFilterWhoseAbsentIsNoPromise) {
  for (const FilterKind kind :
       {FilterKind::windowed, FilterKind::counting, FilterKind::classic_counting}) {
    EXPECT_THROW(MemoryPlace(make_filter(kind, {.capacity = 100})), std::invalid_argument)
        << kind_name(kind);
  }
  EXPECT_THROW(MemoryPlace(std::shared_ptr<AnyFilter>()), std::invalid_argument);
}

TEST(MemoryPlace, AnswersABatchOfAnyLengthInOrder) {
  const auto filter = std::make_shared<BatchOnlyFilter>();
  Place place(filter);
  place.ready();
  for (const std::size_t count : {0U, 1U, 255U, 256U, 257U, 1'000U}) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < count; ++i) texts.push_back(std::to_string(i));
    const std::vector<Key> keys(texts.begin(), texts.end());
    for (std::size_t i = 0; i < count; i += 3) place.insert(keys[i]);
    std::vector<Presence> answers(count, Presence::unknown);
    place.presence_of_many(keys, answers);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(answers[i], i % 3 == 0 ? Presence::maybe : Presence::absent) << i << "/" << count;
    }
  }
  EXPECT_GT(filter->largest_batch, 1U);
}

TEST(MemoryPlace, TellsWhatAnInsertDid) {
  MemoryPlace place(BlockedFilter({.capacity = 100}));
  const std::array<Key, 3> keys{"a", "b", "a"};
  std::array<Inserted, 3> outcomes{};
  place.insert_many(keys, outcomes);
  EXPECT_EQ(outcomes, (std::array{Inserted::added, Inserted::added, Inserted::present}));
  EXPECT_EQ(place.head().inserted, 2U);
  EXPECT_EQ(place.head().parameters.capacity, 100U);
}

TEST(MemoryPlace, AFilterBuiltOnceIsAskedAndRefusesInserts) {
  const FilterParameters parameters = parameters_for(
      FilterKind::fixed, geometry_for(FilterKind::fixed, {.capacity = 1}), {.capacity = 1});
  const std::array<HashPair, 1> hashes{parameters.hash(Key("a"))};
  MemoryPlace place(AnyFilter(OwnedStaticFilter::build(parameters, hashes)));
  place.ready();
  EXPECT_EQ(place.presence_of("a"), Presence::maybe);
  EXPECT_THROW(place.insert("b"), std::invalid_argument);
}

TEST(MemoryPlace, BehindAFenceOnlyItsWatermarkMakesAbsent) {
  MemoryPlace place(BlockedFilter({.capacity = 100}));
  place.ready();
  const Identity database{.high = 1, .low = 2};
  const Fence fence{{database, 10}};
  const CallContext strict{.fence = &fence};
  EXPECT_EQ(place.presence_of("a", strict), Presence::unknown);

  const PlaceHead first = place.head();
  ASSERT_TRUE(place.advance(first, {database, 9}));
  EXPECT_EQ(place.presence_of("a", strict), Presence::unknown);
  EXPECT_FALSE(place.advance(first, {database, 10})) << "from a head that is gone";
  ASSERT_TRUE(place.advance(place.head(), {database, 10}));
  EXPECT_EQ(place.presence_of("a", strict), Presence::absent);

  ASSERT_TRUE(place.advance(place.head(), {{.high = 3, .low = 3}, 99}));
  EXPECT_EQ(place.presence_of("a", strict), Presence::unknown) << "another database";
  EXPECT_EQ(place.presence_of("a"), Presence::absent);
}

TEST(MemoryPlace, ARebuildTakesWhatIsInsertedMeanwhileAndForgetsTheRest) {
  MemoryPlace place(BlockedFilter({.capacity = 1'000, .false_positive_rate = 1e-6}));
  place.insert("deleted since");
  place.ready();
  const PlaceHead before = place.head();
  {
    const auto rebuild = place.begin_rebuild({.capacity = 2'000, .false_positive_rate = 1e-6});
    place.insert("meanwhile");
    const std::array<Key, 1> scanned{"scanned"};
    rebuild->insert_many(scanned);
    EXPECT_EQ(place.presence_of("deleted since"), Presence::maybe);
    EXPECT_EQ(place.presence_of("scanned"), Presence::absent);
    EXPECT_THROW(place.begin_rebuild(FilterOptions{.capacity = 1}), StoreError);
    rebuild->commit();
    EXPECT_THROW(rebuild->commit(), StoreError);
  }
  EXPECT_EQ(place.presence_of("meanwhile"), Presence::maybe);
  EXPECT_EQ(place.presence_of("scanned"), Presence::maybe);
  EXPECT_EQ(place.presence_of("deleted since"), Presence::absent);
  EXPECT_EQ(place.head().parameters.capacity, 2'000U);
  EXPECT_NE(place.head().identity, before.identity);
  EXPECT_FALSE(place.advance(before, {{1, 1}, 1}));
}

TEST(MemoryPlace, ARebuildKeepsHowKeysAreWritten) {
  MemoryPlace place(make_filter(FilterKind::blocked, {.capacity = 10, .keys = {KeyEncoding::i64}}));
  EXPECT_EQ(place.head().parameters.keys, KeyForm{KeyEncoding::i64});
  place.begin_rebuild(FilterOptions{.capacity = 20})->commit();
  EXPECT_EQ(place.head().parameters.keys, KeyForm{KeyEncoding::i64});
}

TEST(MemoryPlace, ARebuildOfASecretFilterIsSecret) {
  MemoryPlace any(make_filter(FilterKind::blocked, {.capacity = 10, .secret = true}));
  const NativeHash before = any.head().parameters.hash;
  any.begin_rebuild(FilterOptions{.capacity = 20})->commit();
  EXPECT_EQ(any.head().parameters.hash.id(), HashId::secret);
  EXPECT_NE(any.head().parameters.hash, before) << "under another key";
  MemoryPlace own(BlockedFilter({.capacity = 10, .secret = true}));
  own.begin_rebuild(FilterOptions{.capacity = 20})->commit();
  EXPECT_EQ(own.head().parameters.hash.id(), HashId::secret);
}

TEST(MemoryPlace, ARebuildThatIsGivenUpLeavesEverythingAsItWas) {
  MemoryPlace place(make_filter(FilterKind::blocked, {.capacity = 1'000}));
  place.insert("a");
  place.begin_rebuild({.capacity = 10}).reset();
  EXPECT_EQ(place.presence_of("a"), Presence::maybe);
  EXPECT_EQ(place.head().parameters.capacity, 1'000U);
  EXPECT_NE(place.begin_rebuild({.capacity = 10}), nullptr) << "nothing is under way any more";
}

TEST(MemoryPlace, ANewFilterThatMissedAnInsertIsNotCommitted) {
  Place place(std::make_shared<BatchOnlyFilter>());
  place.ready();
  auto small = std::make_shared<BatchOnlyFilter>();
  small->room = 1;
  const auto rebuild = place.begin_rebuild(small);
  place.insert("a");
  place.insert("b");  // in the old one; there is no room in the new one
  EXPECT_THROW(rebuild->commit(), StoreError);
  EXPECT_EQ(place.presence_of("b"), Presence::maybe);
}

// Writers insert and ask at once, while filters are exchanged as fast as they can be: the one that
// rebuilds knows every key that was inserted before it began.
TEST(MemoryPlace, NoInsertIsLostWhileFiltersAreExchanged) {
  constexpr int kWriters = 3;
  constexpr int kKeys = 2'000;
  const FilterOptions options{.capacity = kWriters * kKeys, .false_positive_rate = 1e-4};
  MemoryPlace place{BlockedFilter(options)};
  place.ready();
  const auto key_of = [](int writer, int i) { return std::to_string(writer * 1'000'000 + i); };
  std::array<std::atomic<int>, kWriters> done{};
  run_threads(kWriters + 1, [&](int thread) {
    if (thread < kWriters) {
      for (int i = 0; i < kKeys; ++i) {
        place.insert(key_of(thread, i));
        EXPECT_EQ(place.presence_of(key_of(thread, i)), Presence::maybe);
        done[thread] = i + 1;
        EXPECT_EQ(place.presence_of(key_of(thread, i / 2)), Presence::maybe);
      }
      return;
    }
    for (int round = 0; round < 20; ++round) {
      const auto rebuild = place.begin_rebuild(options);
      for (int writer = 0; writer < kWriters; ++writer) {
        const int count = done[writer] + 1;  // one may be in but not counted yet
        for (int i = 0; i < std::min(count, kKeys); ++i) {
          const std::string key = key_of(writer, i);
          const Key view = key;
          rebuild->insert_many({&view, 1});
        }
      }
      rebuild->commit();
    }
  });
  for (int writer = 0; writer < kWriters; ++writer) {
    for (int i = 0; i < kKeys; ++i) {
      EXPECT_EQ(place.presence_of(key_of(writer, i)), Presence::maybe);
    }
  }
}

}  // namespace
}  // namespace bloomery
