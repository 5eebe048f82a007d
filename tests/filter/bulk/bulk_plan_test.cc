// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/bulk/bulk_plan.h"

#include <gtest/gtest.h>

#include "tests/filter/bulk/bulk_support.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kMany = std::uint64_t{1} << 40;

BlockedShape shape_of_bytes(std::uint64_t bytes, std::uint32_t lines_per_key) {
  return BlockedShape::of({bytes * 8, 6 * lines_per_key, lines_per_key});
}

std::optional<BulkPlan> plan_for(const BlockedShape& shape, const BulkOptions& options,
                                 std::uint64_t key_count) {
  return plan_bulk(shape, blocked_kernel().regions, options, key_count);
}

std::uint64_t bytes_of_one_thread() {
  return blocked_kernel().regions.bulk_bytes_of_one_thread;
}

TEST(BulkPlan, TakesHalfOfTheFiltersMemoryForScratch) {
  for (const std::uint64_t megabytes : {4U, 16U, 128U, 1200U}) {
    for (const std::uint32_t lines : {1U, 2U}) {
      if (megabytes == 4 && lines == 2) continue;  // too few regions for as many threads
      for (const unsigned threads : {6U, 7U, 64U}) {
        const std::uint64_t bytes = megabytes << 20;
        const BlockedShape shape = shape_of_bytes(bytes, lines);
        const auto plan = plan_for(shape, {.threads = threads}, kMany);
        ASSERT_TRUE(plan);
        EXPECT_LE(BulkRound::byte_count(shape, plan->parts, plan->part_keys), bytes / 2);
        EXPECT_GT(BulkRound::byte_count(shape, plan->parts, plan->part_keys + 1), bytes / 2);
      }
    }
  }
}

TEST(BulkPlan, KeepsToTheScratchThatIsAllowed) {
  const BlockedShape shape = shape_of_bytes(std::uint64_t{1} << 27, 1);
  const std::uint64_t allowed = std::uint64_t{1} << 26;
  const auto plan = plan_for(shape, {.threads = 2, .scratch_byte_count = allowed}, kMany);
  ASSERT_TRUE(plan);
  EXPECT_LE(BulkRound::byte_count(shape, 2, plan->part_keys), allowed);
  EXPECT_GT(BulkRound::byte_count(shape, 2, plan->part_keys + 1'000), allowed);
}

TEST(BulkPlan, TakesNoMoreThanTheKeysNeed) {
  const BlockedShape shape = shape_of_bytes(std::uint64_t{1} << 27, 1);
  const auto plan = plan_for(shape, {.threads = 2}, 3 * shape.lines + 1);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->part_keys, (3 * shape.lines + 2) / 2);
}

TEST(BulkPlan, LeavesSmallFiltersAndFewKeysAlone) {
  const BulkOptions options{.threads = 64};
  EXPECT_FALSE(plan_for(shape_of_bytes(kBulkFilterBytes / 2, 1), options, kMany));
  EXPECT_TRUE(plan_for(shape_of_bytes(kBulkFilterBytes, 1), options, kMany));
  EXPECT_FALSE(plan_for(shape_of_bytes(kBulkFilterBytes, 1), options, 1'000));
  EXPECT_FALSE(plan_for(shape_of_bytes(kBulkFilterBytes, 1), options, 0));
}

TEST(BulkPlan, LeavesFiltersOfAFewMegabytesToSeveralThreads) {
  const std::uint64_t enough = bytes_of_one_thread();
  EXPECT_FALSE(plan_for(shape_of_bytes(enough - kLineBytes, 1), {.threads = 1}, kMany));
  EXPECT_TRUE(plan_for(shape_of_bytes(enough, 1), {.threads = 1}, kMany));
  for (const std::uint32_t lines : {1U, 2U}) {
    const std::uint64_t bytes = (lines == 2 ? 4 : 1) * kBulkBytesOfThreads / 3;
    EXPECT_FALSE(plan_for(shape_of_bytes(bytes, lines), {.threads = 2}, kMany));
    EXPECT_TRUE(plan_for(shape_of_bytes(bytes, lines), {.threads = 3}, kMany));
  }
}

TEST(BulkPlan, LeavesTwoLinesAKeyToSeveralThreads) {
  const BlockedShape shape = shape_of_bytes(4 * kBulkBytesOfThreads, 2);
  EXPECT_FALSE(plan_for(shape, {.threads = 1}, kMany));
  EXPECT_TRUE(plan_for(shape, {.threads = 2}, kMany));
}

TEST(BulkPlan, HasNoMoreThreadsThanRegions) {
  const BulkOptions options{.threads = 1'000, .scratch_byte_count = 4 * kBulkFilterBytes};
  const auto plan = plan_for(shape_of_bytes(kBulkFilterBytes, 1), options, kMany);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->parts, kBulkFilterBytes / kRegionBytes);
}

TEST(BulkPlan, HasFewerThreadsWhereScratchIsShort) {
  const BlockedShape shape = shape_of_bytes(std::uint64_t{1} << 27, 1);
  const std::uint64_t allowed = BulkRound::byte_count(shape, 2, 2 * shape.lines);
  const auto plan = plan_for(shape, {.threads = 64, .scratch_byte_count = allowed}, kMany);
  ASSERT_TRUE(plan);
  EXPECT_LT(plan->parts, 64U);
  EXPECT_LE(BulkRound::byte_count(shape, plan->parts, plan->part_keys), allowed);
}

TEST(BulkPlan, GoesOnWithFewerThreadsOnlyWhereTheyAreWorthIt) {
  const std::uint64_t bytes = 4 * kBulkBytesOfThreads;
  for (const std::uint32_t lines : {1U, 2U}) {
    const BlockedShape shape = shape_of_bytes(bytes, lines);
    const std::uint64_t allowed = BulkRound::byte_count(shape, 1, 2 * shape.lines);
    const auto plan = plan_for(shape, {.threads = 2, .scratch_byte_count = allowed}, kMany);
    EXPECT_EQ(plan.has_value(), lines == 1 && bytes >= bytes_of_one_thread());
  }
}

TEST(BulkPlan, TakesAllThreadsForAnyNumberOfKeys) {
  const BlockedShape shape = shape_of_bytes(std::uint64_t{1} << 30, 1);
  const auto plan = plan_for(shape, {.threads = 12}, ~std::uint64_t{0});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->parts, 12U);
}

// Positions have 32 bits, and every region has a chunk of them.
TEST(BulkPlan, LeavesFiltersThatHaveTooManyRegionsAlone) {
  for (const std::uint64_t terabytes : {1U, 2U, 3U, 64U}) {
    const BlockedShape shape = shape_of_bytes(terabytes << 40, 1);
    const std::size_t regions = HalfRegions::of(shape, 0).count();
    const std::size_t keys = BulkRound::part_keys_within(~std::uint64_t{0} >> 8, shape, 1'000);
    EXPECT_EQ(keys < Scatter::kChunk, terabytes >= 2) << keys;
    if (terabytes <= 2) {
      EXPECT_LE(Scatter::position_end(regions, keys), Scatter::kMostPositions);
    }
  }
}

TEST(BulkPlan, SaysWhereTheMemoryCannotBeHad) {
  const BlockedShape shape = shape_of_bytes(kBulkFilterBytes, 1);
  const BulkPlan plan{1'000, Scatter::kMostProbes};
  EXPECT_FALSE(make_round(shape, blocked_kernel().regions, plan));
}

}  // namespace
}  // namespace bloomery
