// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/batch_worker.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace bloomery {
namespace {

Batch numbered(std::uint64_t number) {
  return {{}, {}, number, 0};
}

TEST(BatchWorker, ConsumesEveryBatchInOrder) {
  std::vector<std::uint64_t> seen;
  const BatchConsumer consumer = [&](const Batch& batch) {
    seen.push_back(batch.first_record);
    return true;
  };
  BatchWorker worker(consumer);
  for (std::uint64_t i = 0; i < 1'000; ++i) EXPECT_TRUE(worker.start(numbered(i)));
  EXPECT_TRUE(worker.finish());
  ASSERT_EQ(seen.size(), 1'000U);
  for (std::uint64_t i = 0; i < 1'000; ++i) EXPECT_EQ(seen[i], i);
}

TEST(BatchWorker, StopsWhereTheConsumerDoes) {
  int calls = 0;
  const BatchConsumer consumer = [&](const Batch&) { return ++calls < 2; };
  BatchWorker worker(consumer);
  EXPECT_TRUE(worker.start(numbered(0)));
  EXPECT_TRUE(worker.start(numbered(1)));
  EXPECT_FALSE(worker.start(numbered(2)));
  EXPECT_FALSE(worker.finish());
  EXPECT_EQ(calls, 2);
}

TEST(BatchWorker, CarriesWhatTheConsumerThrows) {
  const BatchConsumer consumer = [](const Batch&) -> bool { throw std::runtime_error("full"); };
  BatchWorker worker(consumer);
  EXPECT_TRUE(worker.start(numbered(0)));
  EXPECT_THROW(worker.start(numbered(1)), std::runtime_error);
  EXPECT_FALSE(worker.finish()) << "who threw wants no more";
}

TEST(BatchWorker, MayEndWhileABatchIsConsumed) {
  bool consumed = false;
  {
    const BatchConsumer consumer = [&](const Batch&) { return consumed = true; };
    BatchWorker worker(consumer);
    worker.start(numbered(0));
  }
  EXPECT_TRUE(consumed);
}

}  // namespace
}  // namespace bloomery
