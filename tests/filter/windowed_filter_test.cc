// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/windowed_filter.h"
#include "bloomery/errors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <stdexcept>
#include <vector>

#include "tests/filter/fake_clock.h"
#include "tests/support/binomial.h"

namespace bloomery {
namespace {

using testing::binomial_upper;
using testing::FakeClock;
using testing::kNoon;

TEST(WindowedFilter, KeepsAKeyForTheWindowAndForgetsItAGenerationLater) {
  for (const std::uint32_t generations : {1U, 2U, 3U, 4U, 7U}) {
    for (const std::uint64_t length_ms : {420ULL, 1'000ULL, 86'400'000ULL}) {
      for (int phase = 0; phase < 50; ++phase) {
        FakeClock clock;
        WindowedFilter filter({.capacity = 100,
                               .false_positive_rate = 1e-6,
                               .window = clock.window(length_ms, generations)});
        const std::uint64_t start = kNoon + static_cast<std::uint64_t>(phase) * length_ms / 37;
        clock.now_ms = start;
        EXPECT_TRUE(filter.insert("key"));
        for (int part = 0; part <= 20; ++part) {
          clock.now_ms = start + static_cast<std::uint64_t>(part) * length_ms / 20;
          ASSERT_TRUE(filter.may_contain("key")) << generations << " " << phase << " " << part;
        }
        clock.now_ms = start + length_ms + (length_ms + generations - 1) / generations;
        ASSERT_FALSE(filter.may_contain("key")) << generations << " " << phase;
        EXPECT_TRUE(filter.insert("key"));
      }
    }
  }
}

TEST(WindowedFilter, KeepsTheLastKeysByCountAndForgetsThemAGenerationLater) {
  for (const std::uint32_t generations : {1U, 3U, 4U, 7U}) {
    for (const std::uint64_t capacity : {1ULL, 2ULL, 3ULL, 10ULL, 64ULL, 101ULL}) {
      WindowedFilter filter({.capacity = capacity,
                             .false_positive_rate = 1e-6,
                             .window = {.generations = generations}});
      const std::uint64_t longest = capacity + (capacity + generations - 1) / generations;
      for (std::uint64_t key = 0; key < 8 * capacity; ++key) {
        ASSERT_TRUE(filter.insert(key));
        const std::uint64_t inserts = key + 1;
        for (std::uint64_t back = 1; back <= std::min(inserts, 3 * capacity); ++back) {
          const bool found = filter.may_contain(inserts - back);
          if (back <= capacity) {
            ASSERT_TRUE(found) << back << " of " << capacity;
          }
          if (back > longest) {
            ASSERT_FALSE(found) << back << " of " << capacity;
          }
        }
      }
    }
  }
}

TEST(WindowedFilter, AKeyStaysWhileItIsSeen) {
  FakeClock clock;
  WindowedFilter filter({.capacity = 100, .window = clock.window(1'000)});
  EXPECT_TRUE(filter.insert("key"));
  for (int i = 0; i < 40; ++i) {
    clock.now_ms += 900;
    EXPECT_FALSE(filter.insert("key"));
  }
  EXPECT_EQ(filter.inserted(), 1U);
  clock.now_ms += 1'250;
  EXPECT_FALSE(filter.may_contain("key"));
}

// Compares with the time of each key's last insert: whatever the calls, none is lost within the
// window, and those that are out of it are found no more often than strangers.
TEST(WindowedFilter, AgreesWithTheTimesOfLastInserts) {
  constexpr std::uint64_t kLength = 1'000;
  for (const double rate : {0.1, 0.01, 0.0001}) {
    FakeClock clock;
    WindowedFilter filter({.capacity = 2'000,
                           .false_positive_rate = rate,
                           .seed = 5,
                           .window = clock.window(kLength)});
    std::map<std::uint64_t, std::uint64_t> last;
    std::mt19937_64 random(17);
    double outside = 0;
    std::size_t positives = 0;
    for (int step = 0; step < 60'000; ++step) {
      // A key a millisecond, in fits and starts; now and then a long pause.
      if (random() % 2 == 0) clock.now_ms += random() % 3;
      if (random() % 20'000 == 0) clock.now_ms += random() % 3'000;
      const std::uint64_t now = clock.now_ms;
      const std::uint64_t key = random() % 6'000;
      const auto found = last.find(key);
      const std::uint64_t age = found == last.end() ? now : now - found->second;
      bool present = false;
      if (step % 3 == 0) {
        const std::vector<std::uint64_t> batch{key, key ^ (1ULL << 40)};
        bool was_new[2];
        filter.insert_many(batch, was_new);
        present = !was_new[0];
        last[key] = now;
      } else if (step % 3 == 1) {
        present = !(step % 2 == 0 ? filter.insert(key) : filter.insert_concurrently(key));
        last[key] = now;
      } else {
        present = filter.may_contain(key);
      }
      if (age <= kLength) {
        ASSERT_TRUE(present) << "lost after " << age << " ms at step " << step;
      }
      if (age >= kLength + kLength / 4) {
        ++outside;
        positives += present ? 1 : 0;
      }
    }
    EXPECT_GT(outside, 10'000);
    EXPECT_LE(static_cast<double>(positives), binomial_upper(outside, 1.05 * rate)) << rate;
  }
}

// The fullest moment is when the newest generation is nearly full: all of them hold their share.
TEST(WindowedFilter, KeepsTheRateOfTheWholeForGood) {
  constexpr std::uint64_t kAsked = 200'000;
  for (const double rate : {0.3, 0.01, 0.001, 0.0001}) {
    for (const std::uint64_t capacity : {100ULL, 20'000ULL}) {
      WindowedFilter filter({.capacity = capacity, .false_positive_rate = rate});
      std::uint64_t next = 0;
      std::vector<std::uint64_t> batch(capacity / 4);
      std::size_t positives = 0;
      for (int turn = 0; turn < 40; ++turn) {
        for (auto& key : batch) key = next++;
        filter.insert_many(batch);
        filter.insert(next++);
        if (turn % 2 == 0) continue;
        for (std::uint64_t i = 0; i < kAsked / 20; ++i) {
          positives += filter.may_contain((1ULL << 40) + next * kAsked + i) ? 1 : 0;
        }
      }
      EXPECT_LE(static_cast<double>(positives), binomial_upper(kAsked, 1.05 * rate))
          << capacity << " at " << rate;
    }
  }
}

TEST(WindowedFilter, SaysHowFullTheWindowIs) {
  WindowedFilter filter({.capacity = 20'000, .false_positive_rate = 0.01});
  std::uint64_t next = 0;
  for (; next < 99'999; ++next) filter.insert(next);
  EXPECT_GT(filter.inserted(), 98'000U);
  EXPECT_NEAR(filter.cardinality(), 25'000, 500);
  EXPECT_LE(filter.predicted_rate(), 0.0105);
  EXPECT_GE(filter.predicted_rate(), 0.007);
  std::size_t positives = 0;
  for (std::uint64_t i = 0; i < 400'000; ++i) positives += filter.may_contain((1ULL << 50) + i);
  EXPECT_NEAR(static_cast<double>(positives) / 400'000, filter.predicted_rate(), 0.0006);

  const WindowedLayout layout(filter.parameters());
  const auto generations = layout.generations(filter.words());
  ASSERT_EQ(generations.size(), 5U);
  for (std::uint32_t age = 0; age < 5; ++age) {
    EXPECT_EQ(generations[age].age, age);
    EXPECT_NEAR(generations[age].cardinality, 5'000, 100);
    EXPECT_EQ(generations[age].begin_ms, 0U);
  }
  filter.clear();
  EXPECT_EQ(filter.cardinality(), 0);
  EXPECT_TRUE(filter.insert(next - 1));
}

TEST(WindowedFilter, SaysFromASampleAboutHowFullItIs) {
  for (const double rate : {0.01, 1e-4}) {  // one line a key, and two
    WindowedFilter filter({.capacity = 200'000, .false_positive_rate = rate});
    for (std::uint64_t key = 0; key < 500'000; ++key) filter.insert(key);
    const WindowedLayout layout(filter.parameters());
    const FillState all = layout.fill_state(filter.words());
    const FillState some = layout.fill_state_of_sample(filter.words(), 64 * 1024);
    EXPECT_NE(some.cardinality, all.cardinality);
    EXPECT_NEAR(some.cardinality, all.cardinality, 0.05 * all.cardinality);
    EXPECT_NEAR(some.fill_ratio, all.fill_ratio, 0.05 * all.fill_ratio);
    EXPECT_NEAR(some.predicted_rate, all.predicted_rate, 0.3 * all.predicted_rate);
    const FillState few = layout.fill_state_of_sample(filter.words(), 0);
    EXPECT_GT(few.predicted_rate, 0);
    const FillState whole = layout.fill_state_of_sample(filter.words(), 1 << 30);
    EXPECT_EQ(whole.cardinality, all.cardinality);
    EXPECT_EQ(whole.fill_ratio, all.fill_ratio);
    EXPECT_EQ(whole.predicted_rate, all.predicted_rate);
  }
}

// A key that is in all generations counts once.
TEST(WindowedFilter, CountsDistinctKeys) {
  WindowedFilter filter({.capacity = 10'000});
  for (int round = 0; round < 7; ++round) {
    for (std::uint64_t key = 0; key < 1'500; ++key) filter.insert(key);
  }
  EXPECT_NEAR(filter.cardinality(), 1'500, 45);
}

// The rate is a promise for keys at an even pace; those of a burst all stand in one generation. How
// much that is is said by predicted_rate(), and what to do by the comment at WindowedFilter.
TEST(WindowedFilter, ABurstLosesNoKeyAndKeepsTheRateWhereItIsSizedFor) {
  constexpr std::uint64_t kBurst = 20'000;
  constexpr std::uint64_t kAsked = 100'000;
  for (const std::uint32_t generations : {2U, 4U, 7U}) {
    for (const bool sized : {false, true}) {
      FakeClock clock;
      WindowedFilter filter({.capacity = sized ? generations * kBurst : kBurst,
                             .false_positive_rate = 0.01,
                             .window = clock.window(3'600'000, generations)});
      for (std::uint64_t key = 0; key < kBurst; ++key) filter.insert(key);
      std::size_t positives = 0;
      for (std::uint64_t key = 0; key < kBurst; ++key) ASSERT_TRUE(filter.may_contain(key));
      for (std::uint64_t i = 0; i < kAsked; ++i) positives += filter.may_contain((1ULL << 40) + i);
      const double rate = static_cast<double>(positives) / kAsked;
      EXPECT_NEAR(rate, filter.predicted_rate(), 0.01) << generations;
      if (sized) {
        EXPECT_LE(static_cast<double>(positives), binomial_upper(kAsked, 0.0105)) << generations;
      } else {
        EXPECT_GT(rate, 0.05) << "then the comment is too careful";
      }
    }
  }
}

TEST(WindowedFilter, MergesGenerationsOfOneAge) {
  FakeClock clock;
  const FilterOptions options{
      .capacity = 400, .false_positive_rate = 1e-6, .window = clock.window(1'000)};
  WindowedFilter a(options);
  WindowedFilter b(options);
  WindowedFilter both(options);
  for (std::uint64_t key = 0; key < 400; ++key) {
    (key % 2 == 0 ? a : b).insert(key);
    both.insert(key);
    clock.now_ms += 4;
  }
  both.insert(7'777);
  a.insert(7'777);
  a.merge(b);
  for (const std::uint64_t later : {0ULL, 250ULL, 250ULL, 250ULL, 250ULL, 250ULL}) {
    clock.now_ms += later;
    for (std::uint64_t key = 0; key < 400; ++key) {
      ASSERT_EQ(a.may_contain(key), both.may_contain(key)) << key << " later " << later;
    }
  }
  EXPECT_EQ(a.cardinality(), 0);
}

// A filter that was saved by a clock ahead of ours has keys as old as they were then.
TEST(WindowedFilter, MergesAcrossClocksByAge) {
  FakeClock clock;
  FakeClock other;
  other.now_ms = kNoon + 10'000'000'000;
  WindowedFilter a({.capacity = 100, .false_positive_rate = 1e-6, .window = clock.window(1'000)});
  WindowedFilter b({.capacity = 100, .false_positive_rate = 1e-6, .window = other.window(1'000)});
  b.insert("old");
  other.now_ms += 600;
  b.insert("new");
  a.merge(b);
  EXPECT_TRUE(a.may_contain("old"));
  clock.now_ms += 750;
  EXPECT_FALSE(a.may_contain("old"));
  EXPECT_TRUE(a.may_contain("new"));
  clock.now_ms += 250;
  EXPECT_TRUE(a.may_contain("new"));
  clock.now_ms += 250;
  EXPECT_FALSE(a.may_contain("new"));
}

TEST(WindowedFilter, ByCountRefusesToMerge) {
  WindowedFilter a({.capacity = 100});
  EXPECT_THROW(a.merge(WindowedFilter({.capacity = 100})), IncompatibleError);
}

TEST(WindowedFilter, RefusesWindowsThatCannotBe) {
  for (const std::uint32_t generations : {0U, 8U, 1'000'000U}) {
    EXPECT_THROW(WindowedFilter({.capacity = 10, .window = {.generations = generations}}),
                 std::invalid_argument);
  }
  EXPECT_THROW(WindowedFilter({.capacity = 10, .window = {.length_ms = kMostWindowMs + 1}}),
               std::invalid_argument);
  EXPECT_NO_THROW(WindowedFilter({.capacity = 10, .window = {.length_ms = kMostWindowMs}}));
}

}  // namespace
}  // namespace bloomery
