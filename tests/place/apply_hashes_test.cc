// SPDX-License-Identifier: Apache-2.0
#include "bloomery/place/apply_hashes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/filter/filter_kinds.h"

namespace bloomery {
namespace {

// A filter without room to grow, for 1,000 keys.
AnyFilter made(FilterKind kind, double rate) {
  return make_filter(kind, {.capacity = 1000, .false_positive_rate = rate});
}

std::vector<HashPair> pairs_of(const AnyFilter& filter, int first, int end) {
  std::vector<HashPair> pairs;
  for (int i = first; i < end; ++i) pairs.push_back(filter.hash(Key("key" + std::to_string(i))));
  return pairs;
}

bool have_equal_bits(const AnyFilter& a, const AnyFilter& b) {
  return std::ranges::equal(a.contents().words, b.contents().words,
                            [](auto x, auto y) { return std::ranges::equal(x, y); });
}

TEST(ApplyHashes, SetsTheBitsThatInsertsSet) {
  for (const FilterKind kind : {FilterKind::blocked, FilterKind::classic, FilterKind::scalable}) {
    for (const double rate : {0.1, 0.01, 1e-7}) {
      AnyFilter inserted = made(kind, rate);
      AnyFilter applied = made(kind, rate);
      for (int i = 0; i < 700; ++i) inserted.insert(Key("key" + std::to_string(i)));
      std::uint64_t added = apply_hashes(applied, pairs_of(applied, 0, 300));
      EXPECT_EQ(apply_hashes(applied, pairs_of(applied, 100, 200)), 0U);
      added += apply_hashes(applied, pairs_of(applied, 200, 700));
      EXPECT_EQ(apply_hashes(applied, {}), 0U);
      EXPECT_EQ(added, inserted.inserted());
      EXPECT_TRUE(have_equal_bits(inserted, applied)) << static_cast<int>(kind) << " " << rate;
    }
  }
}

TEST(ApplyHashes, PutsNewKeysIntoTheNewestLayer) {
  AnyFilter inserted = make_filter(FilterKind::scalable, {.capacity = 100});
  AnyFilter applied = make_filter(FilterKind::scalable, {.capacity = 100});
  for (int i = 0; i < 450; ++i) {
    inserted.insert(Key("key" + std::to_string(i)));
    applied.insert(Key("key" + std::to_string(i)));
  }
  ASSERT_GT(inserted.contents().layers.size(), 1U);
  for (int i = 450; i < 460; ++i) inserted.insert(Key("key" + std::to_string(i)));
  ASSERT_EQ(inserted.contents().layers.size(), applied.contents().layers.size());
  apply_hashes(applied, pairs_of(applied, 0, 460));
  EXPECT_TRUE(have_equal_bits(inserted, applied));
}

// Bits come before what is stored, with release, behind them.
TEST(ApplyHashes, MayRunBesideQuestions) {
  AnyFilter filter = made(FilterKind::blocked, 0.0001);
  std::atomic<int> reached = 0;
  std::atomic<int> denied = 0;
  std::jthread asking([&] {
    for (int end = 0; end < 1000;) {
      end = reached.load(std::memory_order_acquire);
      for (int i = std::max(0, end - 20); i < end; ++i) {
        if (!filter.may_contain(Key("key" + std::to_string(i)))) ++denied;
      }
    }
  });
  for (int i = 0; i < 1000; i += 10) {
    apply_hashes(filter, pairs_of(filter, i, i + 10));
    reached.store(i + 10, std::memory_order_release);
  }
  asking.join();
  EXPECT_EQ(denied, 0);
}

}  // namespace
}  // namespace bloomery
