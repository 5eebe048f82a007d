// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/bulk/build_parallel.h"

#include <gtest/gtest.h>

#include "tests/filter/bulk/bulk_support.h"
#include "tests/support/keys.h"

namespace bloomery {
namespace {

using testing::bulk_cases;
using testing::BulkCase;
using testing::empty_filter;
using testing::expect_same_filter;
using testing::kBulkThreads;
using testing::key_sets;
using testing::KeySet;
using testing::random_keys;

constexpr std::size_t kKeys = 200'000;

std::size_t round_keys(const BulkCase& of, const BulkOptions& options) {
  const auto plan =
      plan_bulk(BlockedShape::of(of.parameters.geometry), blocked_kernel().regions, options, kKeys);
  return plan ? plan->round_keys() : 0;
}

// The keys' scratch for about 1.2 rounds, so that every build has a round that is not full.
BulkOptions two_rounds(const BulkCase& of, unsigned threads) {
  const std::size_t part_keys = kKeys * 8 / 10 / threads;
  const auto shape = BlockedShape::of(of.parameters.geometry);
  return {threads, BulkRound::byte_count(shape, threads, part_keys)};
}

TEST(BuildParallel, GivesTheBitsAndTheCountOfInsertingOneByOne) {
  for (const BulkCase& each : bulk_cases()) {
    for (const KeySet& set : key_sets(each.parameters, kKeys)) {
      BlockedFilter one_by_one = empty_filter(each.parameters);
      for (const std::uint64_t key : set.keys) one_by_one.insert(key);
      for (const unsigned threads : {kBulkThreads, kBulkThreads + 1}) {
        const BulkOptions options = two_rounds(each, threads);
        const std::size_t round = round_keys(each, options);
        ASSERT_TRUE(round > 0 && round < kKeys) << each.name << threads;
        BlockedFilter built = empty_filter(each.parameters);
        const std::size_t added = build_parallel(built, std::span(set.keys), options);
        const std::string what =
            each.name + ", " + set.name + ", " + std::to_string(threads) + " threads";
        EXPECT_EQ(added, one_by_one.inserted()) << what;
        expect_same_filter(built, one_by_one, what);
      }
    }
  }
}

TEST(BuildParallel, AddsToAFilterThatHoldsKeys) {
  for (const BulkCase& each : bulk_cases()) {
    // A tenth of the keys are there already.
    const auto keys = random_keys(kKeys);
    const auto before = std::span(keys).first(kKeys / 10);
    BlockedFilter one_by_one = empty_filter(each.parameters);
    BlockedFilter built = empty_filter(each.parameters);
    one_by_one.insert_many(before);
    built.insert_many(before);
    const std::size_t expected = one_by_one.insert_many(keys);
    EXPECT_EQ(build_parallel(built, std::span(keys), {.threads = kBulkThreads}), expected)
        << each.name;
    EXPECT_LT(expected, kKeys - kKeys / 10 + 1);
    expect_same_filter(built, one_by_one, each.name);
  }
}

TEST(BuildParallel, TakesTextsAsIntegers) {
  const auto texts = testing::texts(kKeys, "member:");
  const auto keys = testing::keys_of(texts);
  for (const BulkCase& each : bulk_cases()) {
    BlockedFilter one_by_one = empty_filter(each.parameters);
    one_by_one.insert_many(keys);
    BlockedFilter built = empty_filter(each.parameters);
    build_parallel(built, std::span(keys), {.threads = kBulkThreads});
    expect_same_filter(built, one_by_one, each.name);
  }
}

TEST(BuildParallel, LosesNoKeyWhereRoundsAndBlocksEnd) {
  for (const BulkCase& each : testing::quick_bulk_cases()) {
    const BulkOptions options = two_rounds(each, kBulkThreads);
    const std::size_t round = round_keys(each, options);
    ASSERT_GT(round, 0U);
    const auto all = random_keys(2 * round + 1);
    for (const std::size_t count : {round, round + 1, round + 127, 2 * round - 1, 2 * round + 1}) {
      const auto keys = std::span(all).first(count);
      BlockedFilter one_by_one = empty_filter(each.parameters);
      one_by_one.insert_many(keys);
      BlockedFilter built = empty_filter(each.parameters);
      build_parallel(built, keys, options);
      expect_same_filter(built, one_by_one, each.name + ", " + std::to_string(count));
    }
  }
}

TEST(BuildParallel, InsertsPlainlyWhatIsNotWorthSorting) {
  const auto keys = random_keys(10'000);
  const BulkCase large = bulk_cases().front();
  for (const std::size_t count : {0U, 1U, 8U, 10'000U}) {
    const auto some = std::span(keys).first(count);
    BlockedFilter expected = empty_filter(large.parameters);
    BlockedFilter built = empty_filter(large.parameters);
    EXPECT_EQ(build_parallel(built, some), expected.insert_many(some));
    expect_same_filter(built, expected, "few keys");
  }
  const FilterOptions small{.capacity = 10'000, .false_positive_rate = 0.01};
  BlockedFilter expected(small);
  BlockedFilter built(small);
  EXPECT_EQ(build_parallel(built, std::span(keys)), expected.insert_many(keys));
  expect_same_filter(built, expected, "a small filter");
}

TEST(BuildParallel, InsertsPlainlyWhereScratchIsTooLittle) {
  const BulkCase large = bulk_cases().front();
  const auto keys = random_keys(kKeys);
  BlockedFilter expected = empty_filter(large.parameters);
  BlockedFilter built = empty_filter(large.parameters);
  expected.insert_many(keys);
  build_parallel(built, std::span(keys), {.threads = kBulkThreads, .scratch_byte_count = 1});
  expect_same_filter(built, expected, "no scratch");
}

}  // namespace
}  // namespace bloomery
