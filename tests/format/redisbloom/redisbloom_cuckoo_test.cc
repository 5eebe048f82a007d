// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/redisbloom/redisbloom_cuckoo.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/format/redisbloom/cuckoo_model.h"

namespace bloomery::redisbloom {
namespace {

using testing::CuckooModel;

std::string slots_of(const CuckooFilter& filter, std::size_t i) {
  const auto slots = filter.slots(i);
  return {reinterpret_cast<const char*>(slots.data()), slots.size()};
}

void expect_same(const CuckooFilter& filter, const CuckooModel& model) {
  ASSERT_EQ(filter.shape().sub_filters, model.subs.size());
  ASSERT_EQ(filter.shape().items, model.items);
  ASSERT_EQ(filter.shape().deletes, model.deletes);
  for (std::size_t i = 0; i < model.subs.size(); ++i) {
    ASSERT_EQ(slots_of(filter, i), model.slots(i)) << "sub-filter " << i;
  }
}

std::uint64_t filters_of_a_thousand(const CuckooOptions& options) {
  CuckooFilter filter(cuckoo_shape(options));
  CuckooWork work;
  for (int i = 0; i < 1000; ++i) filter.insert(std::to_string(i), work);
  EXPECT_EQ(filter.shape().items, 1000U);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(filter.may_contain(std::to_string(i)));
  return filter.shape().sub_filters;
}

// Counts that RedisBloom's own tests expect of it.
TEST(CuckooFilter, GrowsWhenRedisBloomGrows) {
  EXPECT_EQ(filters_of_a_thousand({.capacity = 64, .bucket_size = 1}), 18U);
  EXPECT_EQ(filters_of_a_thousand({.capacity = 64}), 17U);
  EXPECT_EQ(filters_of_a_thousand({.capacity = 256, .bucket_size = 4, .max_iterations = 500}), 4U);
  EXPECT_EQ(filters_of_a_thousand({.capacity = 64, .expansion = 2}), 5U);
  EXPECT_EQ(filters_of_a_thousand({.capacity = 64, .max_iterations = 500, .expansion = 4}), 3U);
}

TEST(CuckooFilter, SaysTheSizeThatRedisBloomSays) {
  const CuckooShape shape = cuckoo_shape({.capacity = 1000});
  EXPECT_EQ(shape.bucket_count, 512U);
  EXPECT_EQ(memory_bytes(shape), 1080U);
  EXPECT_EQ(cuckoo_shape({.capacity = 4, .expansion = 3}).expansion, 4U);
  EXPECT_EQ(cuckoo_shape({.capacity = 4, .expansion = 0}).expansion, 0U);
}

TEST(CuckooFilter, IsTheModelByteByByte) {
  const std::vector<CuckooOptions> all{
      {.capacity = 4},
      {.capacity = 64, .expansion = 2},
      {.capacity = 40, .bucket_size = 3, .max_iterations = 7, .expansion = 3},
      {.capacity = 300, .bucket_size = 9},
      {.capacity = 2, .bucket_size = 1},
      {.capacity = 100, .bucket_size = 2, .max_iterations = 1, .expansion = 0}};
  for (const CuckooOptions& options : all) {
    CuckooFilter filter(cuckoo_shape(options));
    CuckooModel model(options);
    std::mt19937 random(1);
    CuckooWork work;
    for (int step = 0; step < 1500; ++step) {
      const std::string key = std::to_string(random() % 300);
      switch (random() % 8) {
        case 0:
        case 1:
        case 2:
          ASSERT_EQ(filter.erase(key), model.del(key));
          break;
        case 3:
          ASSERT_EQ(filter.count(key), model.count(key));
          ASSERT_EQ(filter.may_contain(key), model.count(key) > 0);
          break;
        case 4:
          if (random() % 16 == 0) filter.compact(), model.compact(true);
          break;
        default:
          ASSERT_EQ(filter.insert(key, work) == CuckooInsert::added, model.add(key));
      }
      if (step % 50 == 0) {
        ASSERT_NO_FATAL_FAILURE(expect_same(filter, model));
      }
    }
    ASSERT_NO_FATAL_FAILURE(expect_same(filter, model));
  }
}

TEST(CuckooFilter, AFailedInsertChangesNothing) {
  CuckooFilter filter(cuckoo_shape({.capacity = 64, .max_iterations = 500, .expansion = 0}));
  CuckooWork work;
  int full = 0;
  for (int i = 0; i < 200; ++i) {
    const std::string before = slots_of(filter, 0);
    if (filter.insert(std::to_string(i), work) == CuckooInsert::added) continue;
    ++full;
    ASSERT_EQ(slots_of(filter, 0), before);
  }
  EXPECT_GT(full, 100);
  EXPECT_EQ(filter.shape().items, 200U - static_cast<unsigned>(full));
}

TEST(CuckooFilter, ABatchDoesWhatSingleCallsDo) {
  std::vector<std::string> names;
  for (int i = 0; i < 3000; ++i) names.push_back("item " + std::to_string(i % 2500));
  const std::vector<Key> keys(names.begin(), names.end());
  for (const std::uint64_t capacity : {64U, 4'000'000U}) {
    for (const bool only_new : {false, true}) {
      CuckooFilter single(cuckoo_shape({.capacity = capacity, .expansion = 2}));
      CuckooFilter batch = single.clone();
      CuckooWork work;
      std::vector<CuckooInsert> expected;
      for (const Key key : keys) {
        expected.push_back(only_new ? single.insert_new(key, work) : single.insert(key, work));
      }
      std::vector<CuckooInsert> became(keys.size());
      batch.insert_many(keys, only_new, became.data(), work);
      EXPECT_EQ(became, expected);
      ASSERT_EQ(batch.shape().sub_filters, single.shape().sub_filters);
      for (std::size_t i = 0; i < single.shape().sub_filters; ++i) {
        EXPECT_TRUE(std::ranges::equal(batch.slots(i), single.slots(i)));
      }
      const auto found = std::make_unique<bool[]>(keys.size());
      batch.may_contain_many(keys, found.get());
      for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_TRUE(found[i]);
    }
  }
}

TEST(CuckooFilter, CompactionLosesNothing) {
  for (const std::uint64_t expansion : {1U, 2U, 4U}) {
    CuckooFilter filter(cuckoo_shape({.capacity = 64, .expansion = expansion}));
    CuckooWork work;
    for (int i = 0; i < 1000; ++i) filter.insert(std::to_string(i), work);
    const std::uint64_t before = filter.shape().sub_filters;
    for (int i = 0; i < 900; ++i) ASSERT_TRUE(filter.erase(std::to_string(i)));
    EXPECT_TRUE(filter.compact() || filter.shape().sub_filters < before);
    EXPECT_LT(filter.shape().sub_filters, before);
    EXPECT_EQ(filter.shape().items, 100U);
    for (int i = 900; i < 1000; ++i) EXPECT_TRUE(filter.may_contain(std::to_string(i)));
    EXPECT_EQ(filter.shape().deletes, 0U);
    filter.compact();
    EXPECT_FALSE(filter.compact());
  }
}

// An old server's insert into the oldest sub-filter.
void put_as_of_old(CuckooFilter& filter, const std::string& key) {
  const std::uint32_t hash = murmur2_32(key, 0);
  const std::uint32_t mark = hash >> 24 == 0 ? 7 : hash >> 24;
  const std::uint64_t size = filter.shape().bucket_size;
  for (const std::uint32_t at : {hash, hash ^ (mark * 0x5bd1e995)}) {
    const auto bucket = filter.slots(0).subspan(at % filter.shape().bucket_count * size, size);
    for (std::byte& slot : bucket) {
      if (slot != std::byte{0}) continue;
      slot = static_cast<std::byte>(mark);
      return;
    }
  }
  FAIL() << "no room for " << key;
}

TEST(CuckooFilter, FindsWhatOldServersInserted) {
  CuckooFilter filter(
      {.bucket_count = 4096, .items = 3000, .bucket_size = 4, .hash = CuckooHash::murmur_32});
  for (int i = 0; i < 3000; ++i) put_as_of_old(filter, std::to_string(i));
  for (int i = 0; i < 3000; ++i) {
    ASSERT_TRUE(filter.may_contain(std::to_string(i)));
    ASSERT_GE(filter.count(std::to_string(i)), 1U);
  }
  CuckooWork work;
  EXPECT_EQ(filter.insert_new("5", work), CuckooInsert::present);
  for (int i = 3000; i < 40'000; ++i) filter.insert(std::to_string(i), work);
  EXPECT_GT(filter.shape().sub_filters, 1U);
  for (int i = 0; i < 40'000; ++i) ASSERT_TRUE(filter.may_contain(std::to_string(i)));
  for (int i = 0; i < 39'000; ++i) ASSERT_TRUE(filter.erase(std::to_string(i)));
  for (int i = 39'000; i < 40'000; ++i) ASSERT_TRUE(filter.may_contain(std::to_string(i)));
}

TEST(CuckooFilter, SpendsNoMoreStepsThanItIsGiven) {
  CuckooFilter filter(cuckoo_shape({.capacity = 64, .max_iterations = 1000, .expansion = 0}));
  CuckooWork unlimited;
  for (int i = 0; i < 100; ++i) filter.insert(std::to_string(i), unlimited);
  CuckooWork work{.steps = 10'000};
  for (int i = 100; i < 200; ++i) {
    EXPECT_EQ(filter.insert(std::to_string(i), work), CuckooInsert::full);
  }
  EXPECT_LT(work.steps, 2'000U);
}

TEST(CuckooFilter, GrowthEndsBeforeTheServerIsSlow) {
  CuckooFilter filter(cuckoo_shape({.capacity = 2, .bucket_size = 1, .max_iterations = 1}));
  CuckooWork work{.most_sub_filters = kMostGrownSubFilters};
  std::uint64_t added = 0;
  while (filter.insert("one item", work) == CuckooInsert::added) ++added;
  EXPECT_EQ(filter.shape().sub_filters, kMostGrownSubFilters);
  EXPECT_EQ(filter.shape().items, added);
  EXPECT_EQ(filter.insert("one item", work), CuckooInsert::no_memory);
  CuckooWork of_a_primary;
  EXPECT_EQ(filter.insert("one item", of_a_primary), CuckooInsert::added);
}

TEST(CuckooFilter, AnEraseLeavesCompactingLargeFiltersToTheirOwner) {
  CuckooFilter filter({.sub_filters = 2, .bucket_count = 1 << 24, .expansion = 2});
  CuckooWork work;
  filter.insert("item", work);
  EXPECT_TRUE(filter.erase("item"));
  EXPECT_EQ(filter.shape().sub_filters, 2U);
  EXPECT_EQ(filter.shape().deletes, 1U);
  EXPECT_TRUE(filter.compact());
  EXPECT_EQ(filter.shape().sub_filters, 1U);
}

TEST(CuckooFilter, HasSlotsBeyond32Bits) {
  constexpr std::uint64_t kBuckets = std::uint64_t{1} << 33;
  try {
    CuckooFilter filter({.bucket_count = kBuckets, .bucket_size = 1});
    CuckooWork work;
    int beyond = 0;
    for (int i = 0; i < 20; ++i) {
      const std::string key = std::to_string(i);
      ASSERT_EQ(filter.insert(key, work), CuckooInsert::added);
      const std::uint64_t hash = murmur2_64a(key, 0);
      const std::uint64_t at = hash % kBuckets;
      EXPECT_EQ(filter.slots(0)[at], static_cast<std::byte>(hash % 255 + 1));
      beyond += at > 0xffffffff ? 1 : 0;
    }
    EXPECT_GT(beyond, 0);
  } catch (const std::exception& error) {
    GTEST_SKIP() << error.what();
  }
}

TEST(CuckooFilter, RefusesImpossibleShapes) {
  const CuckooShape right{.sub_filters = 2, .bucket_count = 8, .expansion = 2};
  EXPECT_NO_THROW(check_cuckoo(right));
  const auto refused = [&](auto change) {
    CuckooShape shape = right;
    change(shape);
    EXPECT_THROW(check_cuckoo(shape), std::invalid_argument);
  };
  refused([](CuckooShape& shape) { shape.sub_filters = 0; });
  refused([](CuckooShape& shape) { shape.sub_filters = 65536; });
  refused([](CuckooShape& shape) { shape.sub_filters = 60; });
  refused([](CuckooShape& shape) { shape.sub_filters = ~std::uint64_t{0}; });
  refused([](CuckooShape& shape) { shape.bucket_count = 0; });
  refused([](CuckooShape& shape) { shape.bucket_count = 12; });
  refused([](CuckooShape& shape) { shape.bucket_count = std::uint64_t{1} << 63; });
  refused([](CuckooShape& shape) { shape.bucket_size = 0; });
  refused([](CuckooShape& shape) { shape.bucket_size = 256; });
  refused([](CuckooShape& shape) { shape.max_iterations = 0; });
  refused([](CuckooShape& shape) { shape.max_iterations = 65536; });
  refused([](CuckooShape& shape) { shape.expansion = 0; });
  refused([](CuckooShape& shape) { shape.expansion = 3; });
  refused([](CuckooShape& shape) { shape.expansion = 65536; });
  refused([](CuckooShape& shape) {
    shape.hash = CuckooHash::murmur_32;
    shape.bucket_count = std::uint64_t{1} << 33;
  });
}

}  // namespace
}  // namespace bloomery::redisbloom
