// SPDX-License-Identifier: Apache-2.0
// A classic batch asks for the lines of a key in two goes; its answers are those of single calls.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "bloomery/filter/batch_pipeline.h"
#include "bloomery/filter/classic_filter.h"
#include "tests/support/keys.h"

namespace bloomery {
namespace {

using testing::numbers;

void expect_same_answers(std::uint64_t capacity, double rate) {
  ClassicFilter filter({.capacity = capacity, .false_positive_rate = rate});
  filter.insert_many(numbers(0, capacity));
  // Members and strangers, so that keys pass by turns, all and hardly ever.
  for (const std::uint64_t first : {std::uint64_t{0}, capacity - 100, 2 * capacity}) {
    for (const std::size_t count : {1U, 7U, 8U, 9U, 40U, 97U, 3'000U}) {
      const auto keys = numbers(first, count);
      const auto found = std::make_unique<bool[]>(count);
      filter.may_contain_many(keys, {found.get(), count});
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(found[i], filter.may_contain(keys[i])) << capacity << " " << rate << " " << i;
      }
    }
  }
}

TEST(ClassicBatch, AnswersAsSingleCallsDoWithinTheCache) {
  for (const double rate : {0.5, 0.25, 0.1, 0.01, 0.0001}) expect_same_answers(4'000, rate);
}

TEST(ClassicBatch, AnswersAsSingleCallsDoBeyondTheCache) {
  for (const double rate : {0.5, 0.1, 0.0001}) {
    // Enough keys for kFarBytes: 1.44 bits a key for each probe.
    const double bits_per_key = 1.44 * std::log2(1 / rate);
    expect_same_answers(static_cast<std::uint64_t>(kFarBytes * 8 / bits_per_key * 1.1), rate);
  }
}

}  // namespace
}  // namespace bloomery
