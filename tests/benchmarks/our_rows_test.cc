// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/our_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "bloomery/filter/blocked_filter.h"
#include "bloomery/filter/classic_filter.h"

namespace bloomery::bench {
namespace {

constexpr std::uint64_t kKeys = 5'000;

std::uint64_t count_batched(const Subject& subject, const KeyChunk& keys) {
  const auto found = std::make_unique<bool[]>(keys.size());
  subject.answer_batches(keys, 1'024, {found.get(), keys.size()});
  return static_cast<std::uint64_t>(std::count(found.get(), found.get() + keys.size(), true));
}

void expect_members_found(const Subject& subject, Pattern pattern) {
  KeyMaker maker(pattern);
  EXPECT_EQ(subject.count_each(maker.make(0, kKeys)), kKeys);
  EXPECT_EQ(count_batched(subject, maker.make(0, kKeys)), kKeys);
  const std::uint64_t positives = subject.count_each(maker.make(kKeys, kKeys));
  EXPECT_LT(positives, kKeys / 20);
  EXPECT_EQ(count_batched(subject, maker.make(kKeys, kKeys)), positives);
}

TEST(OurRows, InsertSinglyAndInBatches) {
  const Row row = our_row<BlockedFilter>("a row", 0.01, Pattern::uuid);
  EXPECT_EQ(row.name, "a row");
  EXPECT_TRUE(row.ours);
  const SubjectPointer subject = row.make(kKeys);
  KeyMaker maker(row.keys);
  subject->insert_each(maker.make(0, kKeys));
  expect_members_found(*subject, row.keys);
  subject->clear();
  EXPECT_EQ(subject->count_each(maker.make(0, kKeys)), 0);
  subject->insert_batches(maker.make(0, kKeys), 100);
  expect_members_found(*subject, row.keys);
}

// All loops insert and find the same keys.
TEST(OurRows, LoopInThreeWays) {
  const Row rows[] = {folded_row<Loop::range_for>("range-for", 0.01),
                      folded_row<Loop::by_index>("by index", 0.01),
                      folded_row<Loop::view>("a view", 0.01)};
  for (const Row& row : rows) {
    const SubjectPointer subject = row.make(kKeys);
    KeyMaker maker(row.keys);
    subject->insert_each(maker.make(0, kKeys));
    expect_members_found(*subject, row.keys);
  }
}

TEST(OurRows, TakeFiltersMadeInAnotherWay) {
  const Row row = made_row<ClassicFilter>("a row", 0.01, [](std::uint64_t capacity) {
    return ClassicFilter({.capacity = 2 * capacity, .false_positive_rate = 0.01});
  });
  const SubjectPointer subject = row.make(kKeys);
  EXPECT_NEAR(8 * static_cast<double>(subject->byte_count()) / kKeys, 2 * 9.6, 0.2);
}

TEST(OurRows, BuildFromAllKeysAtOnce) {
  const auto build = [](std::span<const std::uint64_t> keys) {
    BlockedFilter filter({.capacity = keys.size(), .false_positive_rate = 0.01});
    filter.insert_many(keys);
    return filter;
  };
  const Row row = built_row<BlockedFilter>("a row", 0.01, build, 2);
  EXPECT_EQ(row.threads, 2);
  const SubjectPointer subject = row.make(kKeys);
  ASSERT_TRUE(subject->builds_at_once());
  KeyMaker maker(row.keys);
  for (int round = 0; round < 2; ++round) {
    subject->clear();
    for (const std::uint64_t half : {0, 1}) {
      const KeyChunk keys = maker.make(half * kKeys / 2, kKeys / 2);
      subject->collect(keys);
      subject->insert_each(keys);
    }
    subject->finish();
    expect_members_found(*subject, row.keys);
    EXPECT_NEAR(8 * static_cast<double>(subject->byte_count()) / kKeys, 10.3, 0.5);
  }
}

}  // namespace
}  // namespace bloomery::bench
