#include "bloomery/filter/windowed_filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "bloomery/filter/filter_kinds.h"
#include "tests/support/binomial.h"
#include "tests/support/stored_words.h"

namespace bloomery {
namespace {

using testing::binomial_upper;
using testing::stored_words;

constexpr std::uint64_t kNoon = 1'700'000'000'000;

// A clock that tests set.
struct FakeClock {
  std::atomic<std::uint64_t> now_ms{kNoon};

  Window window(std::uint64_t length_ms, std::uint32_t generations = 4) {
    return {.length_ms = length_ms, .generations = generations, .clock = [this] {
              return now_ms.load();
            }};
  }
};

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

// Beside the time of each key's last insert: whatever the calls, none is lost within the window,
// and those that are out of it are found no more often than strangers.
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

// A key that is in all generations counts once.
TEST(WindowedFilter, CountsDistinctKeys) {
  WindowedFilter filter({.capacity = 10'000});
  for (int round = 0; round < 7; ++round) {
    for (std::uint64_t key = 0; key < 1'500; ++key) filter.insert(key);
  }
  EXPECT_NEAR(filter.cardinality(), 1'500, 45);
}

TEST(WindowedFilter, ForgetsAllAfterALongPause) {
  FakeClock clock;
  WindowedFilter filter({.capacity = 1'000, .window = clock.window(1'000)});
  for (int pause = 0; pause < 10; ++pause) {
    for (std::uint64_t key = 0; key < 1'000; ++key) {
      filter.insert(key);
      clock.now_ms += 1;
    }
    clock.now_ms += 1'250 + static_cast<std::uint64_t>(pause) * 777'777;
    EXPECT_EQ(filter.fill_ratio(), 0);
    EXPECT_EQ(filter.cardinality(), 0);
    for (std::uint64_t key = 0; key < 1'000; ++key) ASSERT_FALSE(filter.may_contain(key));
  }
}

TEST(WindowedFilter, ALittleStepBackOfTheClockChangesNothing) {
  FakeClock clock;
  WindowedFilter filter(
      {.capacity = 100, .false_positive_rate = 1e-6, .window = clock.window(1'000)});
  filter.insert("first");
  clock.now_ms -= 200;
  EXPECT_TRUE(filter.may_contain("first"));
  filter.insert("second");
  clock.now_ms += 1'200;
  EXPECT_TRUE(filter.may_contain("first"));
  EXPECT_TRUE(filter.may_contain("second"));
  clock.now_ms += 500;
  EXPECT_FALSE(filter.may_contain("first"));
  EXPECT_FALSE(filter.may_contain("second"));
}

// A day back, as when somebody sets a wrong clock right: no key is lost, none stays for the day,
// and no generation takes the keys of the whole day.
TEST(WindowedFilter, ALargeStepBackOfTheClockGoesOnFromThere) {
  constexpr std::uint64_t kDay = 86'400'000;
  FakeClock clock;
  WindowedFilter filter(
      {.capacity = 100, .false_positive_rate = 1e-6, .window = clock.window(1'000)});
  filter.insert("before");
  clock.now_ms -= kDay;
  EXPECT_TRUE(filter.may_contain("before"));
  filter.insert("after");
  clock.now_ms += 700;
  EXPECT_TRUE(filter.may_contain("before"));
  clock.now_ms += 300;
  EXPECT_TRUE(filter.may_contain("after"));
  clock.now_ms += 500;
  EXPECT_FALSE(filter.may_contain("before"));
  EXPECT_FALSE(filter.may_contain("after"));
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(filter.insert("again"));
    clock.now_ms += 1'000;
    EXPECT_TRUE(filter.may_contain("again"));
    clock.now_ms += 250;
  }
}

// As a clock does that somebody sets wrong and right again, or that two machines do not share.
TEST(WindowedFilter, AClockThatIsWrongForAMomentLosesNoKey) {
  constexpr std::uint64_t kMinute = 60'000;
  for (const std::uint32_t generations : {1U, 3U, 4U, 7U}) {
    for (const std::uint64_t back : {1ULL, 10ULL, 16ULL, 31ULL, 50ULL, 61ULL, 240ULL, 100'000ULL}) {
      for (std::uint64_t phase = 0; phase < 60; phase += 7) {
        for (const bool together : {false, true}) {
          SCOPED_TRACE(std::to_string(generations) + " generations, back " + std::to_string(back) +
                       " minutes, phase " + std::to_string(phase));
          FakeClock clock;
          clock.now_ms += phase * kMinute;
          WindowedFilter filter({.capacity = 100,
                                 .false_positive_rate = 1e-6,
                                 .window = clock.window(60 * kMinute, generations)});
          const auto insert = [&](Key key) {
            return together ? filter.insert_concurrently(key) : filter.insert(key);
          };
          insert("first");
          clock.now_ms -= back * kMinute;
          insert("while it was wrong");
          clock.now_ms += 1;
          insert("and once more");
          clock.now_ms += back * kMinute;
          EXPECT_TRUE(filter.may_contain("first"));  // before any insert tells
          insert("when it was right again");
          clock.now_ms += 26 * kMinute;
          EXPECT_TRUE(filter.may_contain("first"));
          EXPECT_TRUE(filter.may_contain("while it was wrong"));
          clock.now_ms += 33 * kMinute;
          EXPECT_TRUE(filter.may_contain("first"));
          EXPECT_TRUE(filter.may_contain("and once more"));
          EXPECT_TRUE(filter.may_contain("when it was right again"));
          // Nor does it stay for ever.
          clock.now_ms += 3 * 61 * kMinute;
          insert("later");
          EXPECT_FALSE(filter.may_contain("first"));
        }
      }
    }
  }
}

// Twice back and right in one step: what it went back by adds up.
TEST(WindowedFilter, AClockThatIsWrongTwiceLosesNoKey) {
  FakeClock clock;
  WindowedFilter filter(
      {.capacity = 100, .false_positive_rate = 1e-6, .window = clock.window(1'000)});
  filter.insert("first");
  clock.now_ms -= 5'000;
  filter.insert("wrong");
  clock.now_ms -= 70'000;
  filter.insert("more wrong");
  clock.now_ms += 75'000;
  EXPECT_TRUE(filter.may_contain("first"));
  filter.insert("right");
  clock.now_ms += 990;
  for (const char* key : {"first", "wrong", "more wrong", "right"}) {
    EXPECT_TRUE(filter.may_contain(key)) << key;
  }
  clock.now_ms += 300;
  EXPECT_FALSE(filter.may_contain("right"));
}

// Again and again, each time to just before the end of a generation by the clock that is now.
TEST(WindowedFilter, AClockThatGoesBackAgainAndAgainLosesNoKey) {
  constexpr std::uint64_t kLength = 840'000;
  for (const std::uint32_t generations : {1U, 2U, 4U, 7U}) {
    const std::uint64_t generation = kLength / generations;
    for (std::uint64_t back = 1; back <= 9; ++back) {
      SCOPED_TRACE(std::to_string(generations) + " generations, back " + std::to_string(back));
      FakeClock clock;
      WindowedFilter filter({.capacity = 1'000,
                             .false_positive_rate = 1e-9,
                             .window = clock.window(kLength, generations)});
      filter.insert("first");
      for (int i = 0; i < 20; ++i) {
        clock.now_ms -= back * generation - (generation - 1'000 - clock.now_ms % generation);
        filter.insert(2 * i);
        clock.now_ms += 2'000;
        filter.insert(2 * i + 1);
        ASSERT_TRUE(filter.may_contain("first")) << i;
        ASSERT_TRUE(filter.may_contain(0)) << i;
      }
      clock.now_ms += kLength - 40'000;
      EXPECT_TRUE(filter.may_contain("first"));
    }
  }
}

TEST(WindowedFilter, AnyStepsBackOfTheClockLoseNoKey) {
  constexpr std::uint64_t kLength = 840'000;
  std::mt19937_64 random(20);
  for (int history = 0; history < 400; ++history) {
    const auto generations = static_cast<std::uint32_t>(1 + random() % kMostGenerations);
    FakeClock clock;
    clock.now_ms += random() % kLength;
    WindowedFilter filter({.capacity = 1'000,
                           .false_positive_rate = 1e-9,
                           .window = clock.window(kLength, generations)});
    std::uint64_t real = 0;
    std::vector<std::uint64_t> times;
    for (std::uint64_t key = 0; key < 60; ++key) {
      if (random() % 4 == 0) clock.now_ms -= random() % (kLength << random() % 4);
      const std::uint64_t pause = random() % (kLength / 10);
      clock.now_ms += pause;
      real += pause;
      filter.insert(key);
      times.push_back(real);
      for (std::uint64_t each = 0; each <= key; ++each) {
        if (real - times[each] > kLength) continue;
        ASSERT_TRUE(filter.may_contain(each))
            << history << ": " << generations << " generations, key " << each << " after "
            << real - times[each] << " ms";
      }
    }
  }
}

// The clock goes on to the next generation between one reading and the next.
TEST(WindowedFilter, MergingTakesNoTimeFromTheKeysOfTheOther) {
  std::uint64_t now_ms = kNoon - 1;
  bool ticks = false;
  const Window window{
      .length_ms = 1'000, .generations = 4, .clock = [&] { return ticks ? now_ms++ : now_ms; }};
  const FilterOptions options{.capacity = 100, .false_positive_rate = 1e-9, .window = window};
  WindowedFilter from(options);
  WindowedFilter to(options);
  from.insert("key");
  ticks = true;
  to.merge(from);
  ticks = false;
  now_ms = kNoon + 999;
  EXPECT_TRUE(from.may_contain("key"));
  EXPECT_TRUE(to.may_contain("key"));
}

// Beside threads that insert and ask: a clock and an offset that do not belong together are a leap.
TEST(WindowedFilter, ThreadsLoseNoKeyWhileTheClockIsSet) {
  FakeClock clock;
  WindowedFilter filter(
      {.capacity = 100'000, .false_positive_rate = 1e-6, .window = clock.window(3'600'000)});
  constexpr std::uint64_t kBack = 3'000'000;
  std::atomic<std::uint64_t> lost{0};
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t t = 0; t < 3; ++t) {
      threads.emplace_back([&, t] {
        for (std::uint64_t i = 0; i < 10'000; ++i) {
          if (t == 0) clock.now_ms = i % 2 == 0 ? kNoon - kBack : kNoon;
          filter.insert_concurrently((t << 32) + i);
          lost += filter.may_contain((t << 32) + i / 2) ? 0 : 1;
        }
      });
    }
  }
  EXPECT_EQ(lost, 0U);
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

// The bits, stamps and head that one insert changes, over many turns of all generations.
TEST(WindowedFilter, AnInsertIsLittleWorkWheneverItComes) {
  for (const double rate : {0.01, 1e-6}) {
    FakeClock clock;
    WindowedFilter filter(
        {.capacity = 50'000, .false_positive_rate = rate, .window = clock.window(1'000'000)});
    std::mt19937_64 random(3);
    for (std::uint64_t key = 0; key < 100'000; ++key) {
      filter.insert(key);
      clock.now_ms += 20;
    }
    std::size_t most = 0;
    for (std::uint64_t key = 0; key < 60; ++key) {
      clock.now_ms += key % 3 == 0 ? 5'000'000 : 250'000;
      const auto before = stored_words(filter);
      filter.insert(random());
      const auto after = stored_words(filter);
      std::size_t changed = 0;
      for (std::size_t i = 0; i < before.size(); ++i) changed += before[i] == after[i] ? 0 : 1;
      most = std::max(most, changed);
    }
    const std::size_t lines = filter.geometry().lines_per_key;
    EXPECT_LE(most, 2 + lines * (1 + kGroupsPerStamp * 5 * kHalfLineWords)) << rate;
    EXPECT_GT(most, 32U) << "nothing was cleared";
  }
}

TEST(WindowedFilter, KernelsAgreeBitForBit) {
  for (const double rate : {0.5, 0.05, 0.01, 1e-6}) {
    for (const std::uint32_t generations : {1U, 4U, 7U}) {
      FakeClock clock;
      const FilterOptions options{.capacity = 30'000,
                                  .false_positive_rate = rate,
                                  .window = clock.window(1'000, generations)};
      const auto parameters =
          parameters_for(FilterKind::windowed, WindowedLayout::geometry(options), options);
      std::optional<std::vector<std::uint64_t>> first;
      for (const BlockedKernel* kernel : blocked_kernels()) {
        const WindowedLayout layout(parameters, *kernel);
        std::vector<std::uint64_t> words(WindowedLayout::word_count(parameters));
        std::vector<std::uint64_t> answers;
        std::mt19937_64 random(1);
        for (int round = 0; round < 12; ++round) {
          clock.now_ms = kNoon + static_cast<std::uint64_t>(round) * 171;
          std::vector<HashPair> hashes(1'000);
          for (auto& hash : hashes) hash = {random(), random()};
          hashes[3] = {0, 0};
          hashes[4] = {~0ULL, ~0ULL};
          bool flags[1'000];
          answers.push_back(layout.insert_batch(words, std::span<const HashPair>(hashes), nullptr));
          for (auto& hash : hashes) hash.h1 ^= random() % 2;
          layout.may_contain_batch(words, std::span<const HashPair>(hashes), flags);
          for (const HashPair& hash : hashes) {
            ASSERT_EQ(layout.may_contain(words, hash), flags[&hash - hashes.data()]);
            answers.push_back(layout.insert(words, hash) ? 1 : 0);
            ASSERT_TRUE(layout.may_contain(words, hash));
          }
          answers.insert(answers.end(), flags, flags + 1'000);
        }
        answers.insert(answers.end(), words.begin(), words.end());
        if (!first) first = answers;
        EXPECT_TRUE(answers == *first) << kernel->name;
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

// What was saved by a clock that is ahead of ours is as old as it was then.
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

// Threads insert while generations pass under them; what they inserted within the window is there.
TEST(WindowedFilter, ThreadsLoseNoKeyAsGenerationsChange) {
  constexpr std::size_t kThreads = 4;
  constexpr std::uint64_t kKeys = 12'000;
  constexpr std::uint64_t kLength = 2'000;
  for (const double rate : {0.01, 1e-5}) {
    FakeClock clock;
    WindowedFilter filter(
        {.capacity = 20'000, .false_positive_rate = rate, .window = clock.window(kLength)});
    std::atomic<std::uint64_t> lost{0};
    {
      std::vector<std::jthread> threads;
      for (std::size_t t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
          const auto key_of = [&](std::uint64_t i) { return (t << 32) + i; };
          std::vector<std::uint64_t> times(kKeys);
          for (std::uint64_t i = 0; i < kKeys; ++i) {
            times[i] = clock.now_ms.load();
            filter.insert_concurrently(key_of(i));
            if (i % 4 == 0) clock.now_ms += 1;
            // The clock goes on while we ask: a second look tells whether it went too far.
            const std::uint64_t back = i - i / 3;
            const bool found = filter.may_contain(key_of(back));
            if (!found && clock.now_ms.load() - times[back] <= kLength) ++lost;
          }
        });
      }
    }
    EXPECT_EQ(lost, 0U);
  }
}

TEST(WindowedFilter, ThreadsCountEveryInsert) {
  constexpr std::uint64_t kThreads = 4;
  constexpr std::uint64_t kKeys = 5'000;
  WindowedFilter filter({.capacity = kThreads * kKeys / 2, .false_positive_rate = 1e-6});
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (std::uint64_t i = 0; i < kKeys; ++i) filter.insert_concurrently((t << 32) + i);
      });
    }
  }
  EXPECT_EQ(filter.words().front(), kThreads * kKeys);
  for (std::uint64_t key = 0; key < kThreads * kKeys / 2; ++key) filter.insert((9ULL << 40) + key);
  for (std::uint64_t key = 0; key < kThreads * kKeys / 2; ++key) {
    ASSERT_TRUE(filter.may_contain((9ULL << 40) + key));
  }
}

// Words are data: whatever they are, nothing is read or written beside them, inserts work, and what
// is inserted is forgotten in time.
TEST(WindowedFilter, AnyWordsMakeAFilterThatWorks) {
  std::mt19937_64 random(23);
  const std::uint64_t near_now = kNoon * 4 / 1'000 + 5;
  for (int trial = 0; trial < 300; ++trial) {
    FakeClock clock;
    const bool by_time = trial % 2 == 0;
    const FilterOptions options{.capacity = 300,
                                .false_positive_rate = trial % 3 == 0 ? 1e-6 : 0.01,
                                .window = by_time ? clock.window(1'000) : Window{}};
    const auto parameters =
        parameters_for(FilterKind::windowed, WindowedLayout::geometry(options), options);
    HeapWords words(WindowedLayout::word_count(parameters));
    const std::uint64_t first_group = WindowedShape::of(parameters).groups_begin;
    for (std::uint64_t i = 0; i < words.words().size(); ++i) {
      std::uint64_t& word = words.words()[i];
      const std::uint64_t stamps[] = {0,
                                      1,
                                      near_now + random() % 12 - 6,
                                      random(),
                                      1ULL << 63,
                                      ~std::uint64_t{0},
                                      random() % 20,
                                      ~std::uint64_t{0} - 3};
      word = i < first_group ? stamps[random() % 8] : random() & random() & random();
      if (i < kLineWords) word = random() % 4 == 0 ? 0 : random() >> 4 >> random() % 60;
    }
    AnyFilter filter = open_filter({.parameters = parameters}, std::move(words));
    std::vector<std::uint64_t> keys(900);
    for (std::uint64_t i = 0; i < keys.size(); ++i) keys[i] = i + 1'000;
    for (int pass = 0; pass < 3; ++pass) {
      for (std::size_t first = 0; first < keys.size(); first += 100) {
        const std::span<const std::uint64_t> some = std::span(keys).subspan(first, 100);
        filter.insert_many(some);
        filter.insert_concurrently("one more");
        bool found[100];
        filter.may_contain_many(some, found);
        ASSERT_TRUE(std::ranges::all_of(found, [](bool each) { return each; })) << trial;
        ASSERT_TRUE(filter.may_contain("one more"));
        clock.now_ms += 250;
      }
    }
    EXPECT_TRUE(std::isfinite(filter.cardinality()) && std::isfinite(filter.predicted_rate()));
    EXPECT_LE(filter.fill_ratio(), 1);
    clock.now_ms += 2'000;
    if (by_time) {
      EXPECT_EQ(filter.fill_ratio(), 0) << trial;
    }
  }
}

TEST(WindowedFilter, RefusesAHeadThatCannotBe) {
  const FilterOptions options{.capacity = 300};
  const auto parameters =
      parameters_for(FilterKind::windowed, WindowedLayout::geometry(options), options);
  for (const std::size_t at : {0ULL, 1ULL}) {
    HeapWords words(WindowedLayout::word_count(parameters));
    words.words()[at] = (1ULL << 60) + 1;
    EXPECT_THROW(open_filter({.parameters = parameters}, std::move(words)), FormatError);
  }
}

// A file with the largest numbers is taken, so the next one must be too.
TEST(WindowedFilter, TheLargestHeadStaysAHead) {
  for (const bool by_time : {false, true}) {
    FakeClock clock;
    const FilterOptions options{.capacity = 300,
                                .window = by_time ? clock.window(1'000) : Window{}};
    const auto parameters =
        parameters_for(FilterKind::windowed, WindowedLayout::geometry(options), options);
    HeapWords words(WindowedLayout::word_count(parameters));
    words.words()[0] = 1ULL << 60;
    if (by_time) words.words()[1] = 1ULL << 60;
    AnyFilter filter = open_filter({.parameters = parameters}, std::move(words));
    const std::vector<std::uint64_t> keys{1, 2, 3};
    filter.insert_many(keys);
    filter.insert("one more");
    filter.insert_concurrently("and one");
    EXPECT_TRUE(filter.may_contain("one more") && filter.may_contain("and one"));
    HeapWords stored(WindowedLayout::word_count(parameters));
    std::ranges::copy(filter.contents().words[0], stored.words().begin());
    const AnyFilter again = open_filter({.parameters = parameters}, std::move(stored));
    EXPECT_TRUE(again.may_contain("one more") && again.may_contain("and one"));
  }
}

}  // namespace
}  // namespace bloomery
