// SPDX-License-Identifier: Apache-2.0
// What load and measure fill filters with.
#include "cli/filter_filler.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "bloomery/filter/bulk/bulk_plan.h"

namespace bloomery::cli {
namespace {

// The filter is as large as filters that two threads build in bulk.
TEST(FilterFiller, GivesTheFilterOfInsertingBatches) {
  const FilterOptions options{.capacity = 10'100'000};
  AnyFilter expected = make_filter(FilterKind::blocked, options);
  ASSERT_GE(8 * expected.contents().word_count(), kBulkBytesOfThreads / 2);
  FilterFiller filler(FilterKind::blocked, options);
  std::vector<std::uint64_t> keys(100'000);
  for (std::uint64_t first = 0; first < options.capacity; first += keys.size()) {
    for (std::uint64_t i = 0; i < keys.size(); ++i) keys[i] = (first + i) / 2;  // each twice
    filler.add(keys);
    expected.insert_many(keys);
  }
  const AnyFilter filled = std::move(filler).finish();
  EXPECT_EQ(filled.inserted(), expected.inserted());
  EXPECT_TRUE(
      std::ranges::equal(filled.contents().words.front(), expected.contents().words.front()));
}

}  // namespace
}  // namespace bloomery::cli
