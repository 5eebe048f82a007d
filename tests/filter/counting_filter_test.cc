// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/counting_filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "tests/support/keys.h"
#include "tests/support/stored_words.h"

namespace bloomery {
namespace {

using testing::keys_of;
using testing::stored_words;
using testing::texts;

template <class F>
class CountingContract : public ::testing::Test {};

using CountingKinds = ::testing::Types<CountingFilter, ClassicCountingFilter>;
TYPED_TEST_SUITE(CountingContract, CountingKinds);

TYPED_TEST(CountingContract, ErasesWhatWasInserted) {
  TypeParam filter({.capacity = 1'000, .false_positive_rate = 1e-6});
  EXPECT_TRUE(filter.insert("alice"));
  EXPECT_FALSE(filter.insert("alice"));
  EXPECT_EQ(filter.estimate_count("alice"), 2U);
  EXPECT_TRUE(filter.erase("alice"));
  EXPECT_TRUE(filter.may_contain("alice"));
  EXPECT_EQ(filter.inserted(), 1U);
  EXPECT_TRUE(filter.erase("alice"));
  EXPECT_FALSE(filter.may_contain("alice"));
  EXPECT_EQ(filter.inserted(), 0U);
  EXPECT_EQ(filter.fill_ratio(), 0);
}

TYPED_TEST(CountingContract, RefusesToEraseAnAbsentKeyAndChangesNothing) {
  TypeParam filter({.capacity = 1'000, .false_positive_rate = 0.01});
  filter.insert_many(keys_of(texts(500, "member:")));
  const auto before = stored_words(filter);
  std::size_t refused = 0;
  for (const auto& stranger : texts(500, "stranger:")) {
    if (filter.may_contain(Key(stranger))) continue;
    EXPECT_FALSE(filter.erase(Key(stranger)));
    ++refused;
  }
  EXPECT_GT(refused, 400U);
  EXPECT_EQ(stored_words(filter), before);
  EXPECT_EQ(filter.estimate_count("nobody at all"), 0U);
}

// Compares with a multiset: whatever is inserted and legally erased, in a filter so full that
// counters are shared by many keys and some stick, no remaining key is lost, and no count is too
// low.
TYPED_TEST(CountingContract, NoSequenceOfLegalCallsLosesARemainingKey) {
  for (const double rate : {0.5, 0.1, 1e-4}) {
    std::mt19937_64 random(3);
    TypeParam filter({.capacity = 100, .false_positive_rate = rate});
    std::map<std::uint64_t, std::uint64_t> model;
    for (int step = 0; step < 20'000; ++step) {
      const std::uint64_t key = random() % 400;
      std::uint64_t& count = model[key];
      if (count > 0 && random() % 2 == 0) {
        ASSERT_TRUE(filter.erase(key)) << "key " << key << " at step " << step;
        --count;
      } else {
        filter.insert(key);
        ++count;
      }
      if (step % 100 != 0) continue;
      for (const auto& [each, times] : model) {
        ASSERT_GE(filter.estimate_count(each), std::min<std::uint64_t>(times, 15));
        if (times > 0) {
          ASSERT_TRUE(filter.may_contain(each)) << "at step " << step;
        }
      }
    }
  }
}

TYPED_TEST(CountingContract, CountersStickAtFifteen) {
  TypeParam filter({.capacity = 10, .false_positive_rate = 1e-6});
  for (int i = 0; i < 40; ++i) filter.insert("popular");
  EXPECT_EQ(filter.estimate_count("popular"), 15U);
  for (int i = 0; i < 40; ++i) EXPECT_TRUE(filter.erase("popular"));
  EXPECT_TRUE(filter.may_contain("popular")) << "its true count is not known any more";
}

// Every counter of nearly full lines, against counts of positions; of one line and eight lanes, of
// fewer lanes, and of two lines.
TYPED_TEST(CountingContract, CountsEachPositionOfAKeyOnce) {
  for (const double rate : {0.01, 0.1, 1e-6}) {
    TypeParam filter({.capacity = 50, .false_positive_rate = rate});
    std::map<std::uint64_t, std::uint64_t> counts;
    for (std::uint64_t i = 0; i < 400; ++i) {
      std::set<std::uint64_t> positions;
      for (const Probe& probe : filter.probes(filter.hash(i))) positions.insert(probe.position);
      bool is_new = false;
      for (const std::uint64_t position : positions) is_new |= counts[position] == 0;
      EXPECT_EQ(filter.may_contain(i), !is_new);
      EXPECT_EQ(filter.insert(i), is_new);
      for (const std::uint64_t position : positions) ++counts[position];
    }
    const auto words = stored_words(filter);
    for (std::uint64_t at = 0; at < 16 * words.size(); ++at) {
      ASSERT_EQ((words[at / 16] >> (4 * (at % 16))) & 15, std::min<std::uint64_t>(counts[at], 15));
    }
  }
}

// At a rate at which no key is there by chance: such a one may be the last of its own positions and
// not have been the first.
TYPED_TEST(CountingContract, AnEmptiedFilterIsEmpty) {
  TypeParam filter({.capacity = 5'000, .false_positive_rate = 1e-7});
  const auto members = texts(5'000, "member:");
  filter.insert_many(keys_of(members));
  for (const auto& member : members) EXPECT_TRUE(filter.erase(Key(member)));
  EXPECT_EQ(filter.fill_ratio(), 0);
  EXPECT_EQ(filter.inserted(), 0U);
}

TYPED_TEST(CountingContract, BecomesThePlainFilterOfItsGeometry) {
  for (const double rate : {0.3, 0.01, 1e-5}) {
    TypeParam filter({.capacity = 3'000, .false_positive_rate = rate, .seed = 8});
    const auto members = texts(3'000, "member:");
    filter.insert_many(keys_of(members));
    const auto plain = filter.plain();
    std::remove_cvref_t<decltype(plain)> own(
        {.capacity = 3'000, .false_positive_rate = rate, .seed = 8});
    own.insert_many(keys_of(members));
    EXPECT_EQ(stored_words(plain), stored_words(own));
    EXPECT_EQ(plain.inserted(), filter.inserted());
    EXPECT_EQ(plain.geometry(), filter.geometry());
    EXPECT_EQ(plain.predicted_rate(), filter.predicted_rate());
    EXPECT_EQ(stored_words(filter).size(), 4 * stored_words(plain).size());
  }
}

TYPED_TEST(CountingContract, AMergeAddsCounts) {
  TypeParam a({.capacity = 100, .false_positive_rate = 1e-6});
  TypeParam b({.capacity = 100, .false_positive_rate = 1e-6});
  for (int i = 0; i < 3; ++i) a.insert("alice");
  for (int i = 0; i < 4; ++i) b.insert("alice");
  for (int i = 0; i < 14; ++i) {
    a.insert("popular");
    b.insert("popular");
  }
  a.merge(b);
  EXPECT_EQ(a.estimate_count("alice"), 7U);
  EXPECT_EQ(a.estimate_count("popular"), 15U);
}

TYPED_TEST(CountingContract, ThreadsLoseNoCount) {
  TypeParam filter({.capacity = 100, .false_positive_rate = 1e-6});
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 7; ++t) {
      threads.emplace_back([&] {
        for (std::uint64_t key = 0; key < 50; ++key) {
          filter.insert_concurrently(key);
          filter.insert_concurrently(key);
        }
      });
    }
  }
  for (std::uint64_t key = 0; key < 50; ++key) EXPECT_GE(filter.estimate_count(key), 14U);
}

}  // namespace
}  // namespace bloomery
