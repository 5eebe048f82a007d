// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/bitmap_gap.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "bloomery/bits/bit_storage.h"
#include "bloomery/format/kinds.h"
#include "tests/format/foreign_vectors.h"
#include "tests/support/small_settings.h"

using namespace bloomery;
using namespace bloomery::golden;

namespace {

class EveryBitmap : public ::testing::TestWithParam<const Format*> {
 protected:
  void SetUp() override {
    if (GetParam()->create == nullptr) GTEST_SKIP() << "not made by us";
  }
  AnyFilter filled(std::int64_t key_count) const {
    AnyFilter filter = GetParam()->create({.capacity = 4'000, .false_positive_rate = 0.02},
                                          bloomery::testing::small_settings(*GetParam()));
    insert_all(filter, text_keys("key:%d"), 0, key_count);
    return filter;
  }
};

TEST_P(EveryBitmap, IsNotSuspectedOfWhatChanceLeaves) {
  for (const std::int64_t key_count : {0, 1, 10, 300, 4'000}) {
    EXPECT_EQ(gap_advice(filled(key_count).contents()), "") << key_count;
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, EveryBitmap,
                         ::testing::ValuesIn(formats().begin(), formats().end()),
                         [](const auto& of) {
                           std::string name(of.param->name);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

// The first half of what was there, as an interrupted copy leaves it, and a page that was lost.
TEST(BitmapGap, IsToldWhereABitmapWasCutOrZeroFilled) {
  for (const char* const name : {"guava", "redisson", "bloom-filter-helper", "orestes", "pyrebloom",
                                 "gozero", "dcso", "parquet", "leveldb"}) {
    SCOPED_TRACE(name);
    const Format& format = *find_format(name);
    AnyFilter filter = format.create({.capacity = 50'000, .false_positive_rate = 0.02},
                                     bloomery::testing::small_settings(format));
    insert_all(filter, text_keys("key:%d"), 0, 20'000);
    const FilterContents whole = filter.contents();
    const auto without = [&](std::size_t first, std::size_t count) {
      std::vector<std::uint64_t> words(whole.words.front().begin(), whole.words.front().end());
      std::fill_n(words.begin() + static_cast<std::ptrdiff_t>(first), count, 0);
      FilterContents damaged = whole;
      damaged.words = {words};
      return gap_advice(damaged);
    };
    const std::size_t words = whole.words.front().size();
    EXPECT_NE(without(words / 2, words - words / 2), "");
    EXPECT_NE(without(words / 4, 256), "");
    EXPECT_EQ(without(0, 0), "");
  }
}

}  // namespace
