// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/bulk/bulk_builder.h"

#include <gtest/gtest.h>

#include "bloomery/filter/filter_kinds.h"
#include "tests/filter/bulk/bulk_support.h"
#include "tests/support/keys.h"

namespace bloomery {
namespace {

constexpr std::size_t kBuiltKeys = 200'000;

AnyFilter empty_any(const FilterParameters& parameters) {
  return AnyFilter(testing::empty_filter(parameters));
}

void expect_same(const AnyFilter& filter, const AnyFilter& expected, const std::string& what) {
  EXPECT_EQ(filter.inserted(), expected.inserted()) << what;
  const auto words = filter.contents().words;
  const auto expected_words = expected.contents().words;
  ASSERT_EQ(words.size(), expected_words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    EXPECT_TRUE(std::ranges::equal(words[i], expected_words[i])) << what;
  }
}

// Batches of every size, so that they end within blocks, parts and rounds.
template <class Visit>
void for_each_batch(std::span<const Key> keys, Visit visit) {
  for (std::size_t size = 0; !keys.empty(); size = (size + 97) % 5'000) {
    const std::size_t count = std::min(size, keys.size());
    visit(keys.first(count));
    keys = keys.subspan(count);
  }
}

TEST(BulkBuilder, GivesTheBitsAndTheCountOfInsertingBatches) {
  const auto texts = testing::texts(kBuiltKeys, "member:");
  const auto keys = testing::keys_of(texts);
  for (const auto& each : testing::bulk_cases()) {
    const auto shape = BlockedShape::of(each.parameters.geometry);
    for (const unsigned threads : {1U, testing::kBulkThreads}) {
      AnyFilter expected = empty_any(each.parameters);
      AnyFilter built = empty_any(each.parameters);
      BulkBuilder builder(
          built, kBuiltKeys,
          {threads, BulkRound::byte_count(shape, threads, kBuiltKeys * 8 / 10 / threads)});
      for_each_batch(keys, [&](std::span<const Key> batch) {
        expected.insert_many(batch);
        builder.add(batch);
      });
      if (threads > 1) {
        EXPECT_LT(built.inserted(), expected.inserted()) << "a round waits";
      }
      EXPECT_EQ(builder.finish(), expected.inserted());
      EXPECT_EQ(builder.finish(), expected.inserted()) << "a second time changes nothing";
      expect_same(built, expected, each.name);
    }
  }
}

TEST(BulkBuilder, FinishesWhenItGoes) {
  const auto parameters = testing::bulk_cases().front().parameters;
  const auto texts = testing::texts(kBuiltKeys, "member:");
  const auto keys = testing::keys_of(texts);
  AnyFilter expected = empty_any(parameters);
  expected.insert_many(keys);
  AnyFilter built = empty_any(parameters);
  { BulkBuilder(built, kBuiltKeys).add(keys); }
  expect_same(built, expected, "without finish()");
}

TEST(BulkBuilder, TakesMoreKeysThanItWasTold) {
  const auto parameters = testing::bulk_cases().front().parameters;
  const auto texts = testing::texts(2 * kBuiltKeys + 5, "member:");
  const auto keys = testing::keys_of(texts);
  AnyFilter expected = empty_any(parameters);
  expected.insert_many(keys);
  AnyFilter built = empty_any(parameters);
  BulkBuilder builder(built, kBuiltKeys);
  builder.add(keys);
  EXPECT_EQ(builder.finish(), expected.inserted());
  expect_same(built, expected, "more keys");
}

TEST(BulkBuilder, InsertsBatchesAtOnceForEveryOtherKindAndSmallFilters) {
  const auto texts = testing::texts(5'000, "member:");
  const auto keys = testing::keys_of(texts);
  for (const Kind& kind : filter_kinds()) {
    if (is_built_once(kind.number)) continue;
    AnyFilter expected = make_filter(kind.number, {.capacity = 5'000});
    AnyFilter built = make_filter(kind.number, {.capacity = 5'000});
    expected.insert_many(keys);
    BulkBuilder builder(built, 5'000);
    builder.add(keys);
    expect_same(built, expected, std::string(kind.name));
    EXPECT_EQ(builder.finish(), expected.inserted());
  }
}

}  // namespace
}  // namespace bloomery
