// SPDX-License-Identifier: Apache-2.0
#include "module/stored_cuckoo.h"

#include <gtest/gtest.h>

#include <string>

#include "bloomery/errors.h"

namespace bloomery::module {
namespace {

using redisbloom::CuckooFilter;
using redisbloom::CuckooPositions;
using redisbloom::CuckooShape;

CuckooShape shape_of(std::uint64_t buckets, std::uint64_t sub_filters = 1) {
  CuckooShape shape;
  shape.bucket_count = buckets;
  shape.bucket_size = 2;
  shape.expansion = 1;
  shape.sub_filters = sub_filters;
  return shape;
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span<const char>(text));
}

// Behind the slots that are still to come is what was added meanwhile.
TEST(StoredCuckoo, TakesNoPieceBeyondTheSlotsThatItWaitsFor) {
  StoredCuckoo stored(CuckooFilter(shape_of(4, 2)), {.expected_slots = 8});
  EXPECT_FALSE(stored.load(10, bytes_of("ab"))) << "slot 7 is the last";
  EXPECT_FALSE(stored.load(12, bytes_of("ab")));
  EXPECT_EQ(stored.half().loaded.byte_count(), 0U);
  stored.came(6, 12);
  EXPECT_EQ(stored.half().loaded.byte_count(), 2U);
  EXPECT_NO_THROW(stored.clone());
  EXPECT_TRUE(stored.load(9, bytes_of("12345678")));
  EXPECT_FALSE(stored.is_incomplete());
}

TEST(StoredCuckoo, WaitsForNoMoreThanItHas) {
  EXPECT_THROW(StoredCuckoo(CuckooFilter(shape_of(4)), {.expected_slots = 9}), FormatError);
  ByteRanges all;
  all.add(0, 8);
  EXPECT_THROW(StoredCuckoo(CuckooFilter(shape_of(4)), {.expected_slots = 8, .loaded = all}),
               FormatError);
}

// Dumps of old releases have positions that count buckets.
TEST(StoredCuckoo, ACopyOfAHalfGoesOnAsItBegan) {
  const auto first = StoredCuckoo::of_header(shape_of(4), CuckooPositions::buckets);
  EXPECT_TRUE(first->load(1 + 2, bytes_of("1234")));
  const auto copy = first->clone();
  EXPECT_TRUE(copy->load(1 + 4, bytes_of("5678")));
  EXPECT_FALSE(copy->is_incomplete());
  EXPECT_TRUE(copy->has(1 + 8, bytes_of("12345678")));
}

}  // namespace
}  // namespace bloomery::module
