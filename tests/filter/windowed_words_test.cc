// SPDX-License-Identifier: Apache-2.0
// A windowed filter in its words: kernels, threads, and words that are anything.
#include <gtest/gtest.h>
#include <cmath>

#include <algorithm>
#include <atomic>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/filter/filter_kinds.h"
#include "bloomery/filter/windowed_filter.h"
#include "tests/filter/fake_clock.h"
#include "tests/support/stored_words.h"

namespace bloomery {
namespace {

using testing::FakeClock;
using testing::kNoon;
using testing::stored_words;

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
