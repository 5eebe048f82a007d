// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/redisbloom/redisbloom_filter.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <limits>
#include <string>

#include "bloomery/errors.h"
#include "tests/format/redisbloom/redisbloom_model.h"
#include "tests/support/keys.h"

namespace bloomery {
namespace {

using redisbloom::Generation;
using redisbloom::ReserveOptions;
using testing::keys_of;
using testing::RedisBloomModel;
using testing::texts;

constexpr Generation kGenerations[] = {Generation::current, Generation::v2_0, Generation::v1_1};

std::uint64_t size_of_new(const ReserveOptions& options) {
  const std::vector<Layer> links{
      redisbloom::next_link(redisbloom::reserve_parameters(options), {})};
  return redisbloom::memory_bytes(links);
}

// The figures that RedisBloom's own tests expect of BF.INFO and MEMORY USAGE.
TEST(RedisBloomFilter, TakesTheBytesThatItsOwnTestsPin) {
  EXPECT_EQ(size_of_new({}), 240U);
  EXPECT_EQ(size_of_new({.capacity = 100, .error_rate = 0.001}), 296U);
  EXPECT_EQ(size_of_new({.capacity = 1, .error_rate = 0.01}), 104U);
  EXPECT_EQ(size_of_new({.capacity = 300'000'000, .error_rate = 1e-6}), 1'132'420'232U);
}

int first_false_positive(const ReserveOptions& options) {
  AnyFilter filter = redisbloom::reserve(options);
  for (int i = 0;; ++i) {
    filter.insert("user" + std::to_string(i));
    if (filter.may_contain("user" + std::to_string(i + 1))) return i;
  }
}

// A post that measured an early release met the first false positive at user 214.
TEST(RedisBloomFilter, MeetsItsFirstFalsePositiveWhereTheServersDid) {
  EXPECT_EQ(first_false_positive({.generation = Generation::v2_0}), 214);
  EXPECT_EQ(first_false_positive({}), 306);
}

void expect_equal(const RedisBloomModel& model, const FilterContents& contents) {
  ASSERT_EQ(contents.layers.size(), model.links.size());
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    const auto& expected = model.links[i];
    const Layer& link = contents.layers[i];
    EXPECT_EQ(link.geometry.bit_count, expected.bits) << i;
    EXPECT_EQ(link.geometry.probe_count, expected.hashes) << i;
    EXPECT_EQ(link.capacity, expected.entries) << i;
    EXPECT_EQ(link.false_positive_rate, expected.error) << i;
    EXPECT_EQ(link.inserted, expected.size) << i;
    EXPECT_EQ(std::memcmp(contents.words[i].data(), expected.bytes.data(), expected.bytes.size()),
              0)
        << i;
  }
}

TEST(RedisBloomFilter, AnswersAndGrowsAsItsDescriptionReads) {
  const auto keys = texts(6'000, "item:");
  for (const Generation generation : kGenerations) {
    for (const auto& [capacity, rate, expansion] :
         {std::tuple{100U, 0.01, 2U}, {1U, 0.1, 2U}, {7U, 0.5, 4U}, {900U, 1e-4, 1U}}) {
      const ReserveOptions options{.capacity = capacity,
                                   .error_rate = rate,
                                   .expansion = expansion,
                                   .generation = generation};
      RedisBloomModel model(options);
      AnyFilter singly = redisbloom::reserve(options);
      AnyFilter batched = redisbloom::reserve(options);
      std::vector<bool> expected;
      for (const std::string& key : keys) expected.push_back(model.add(key) == 1);
      for (std::size_t i = 0; i < keys.size(); ++i) {
        EXPECT_EQ(singly.insert(keys[i]), expected[i]) << keys[i];
      }
      expect_equal(model, singly.contents());
      EXPECT_NO_THROW(redisbloom::check_chain(singly.contents()));
      EXPECT_GT(singly.contents().layers.size(), 2U);
      const auto was_new = std::make_unique<bool[]>(keys.size());
      const std::span<bool> answers(was_new.get(), keys.size());
      batched.insert_many(keys_of(keys), answers);
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), answers.begin()));
      expect_equal(model, batched.contents());
      const auto others = texts(6'000, "other:");
      batched.may_contain_many(keys_of(others), answers);
      for (std::size_t i = 0; i < others.size(); ++i) {
        EXPECT_EQ(answers[i], model.exists(others[i]));
        EXPECT_EQ(batched.may_contain(others[i]), answers[i]);
      }
    }
  }
}

TEST(RedisBloomFilter, ThatDoesNotGrowSaysThatItIsFullAndHowFarItCame) {
  const auto keys = texts(5'000, "item:");
  for (const ReserveOptions& options : {ReserveOptions{.capacity = 3'000, .nonscaling = true},
                                        ReserveOptions{.capacity = 3'000, .expansion = 0}}) {
    RedisBloomModel model(options);
    AnyFilter single = redisbloom::reserve(options);
    std::size_t full_at = keys.size();
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const int expected = model.add(keys[i]);
      const Insert insert = single.try_insert(keys[i]);
      EXPECT_EQ(insert, expected == 1   ? Insert::added
                        : expected == 0 ? Insert::present
                                        : Insert::full);
      if (insert == Insert::full) full_at = std::min(full_at, i);
    }
    EXPECT_EQ(single.inserted(), 3'000U);
    EXPECT_THROW(single.insert("one more"), std::invalid_argument);
    EXPECT_FALSE(single.insert(keys[0]));

    AnyFilter batched = redisbloom::reserve(options);
    InsertProgress progress;
    batched.insert_while_room(keys_of(keys), nullptr, progress);
    EXPECT_EQ(progress.done, full_at);
    EXPECT_EQ(progress.added, 3'000U);
    EXPECT_THROW(batched.insert_many(keys_of(keys)), std::invalid_argument);
    expect_equal(model, batched.contents());
    batched.clear();
    EXPECT_EQ(batched.inserted(), 0U);
    const std::size_t again = batched.insert_many(keys_of(texts(2'000, "again:")));
    EXPECT_EQ(again, batched.inserted());
  }
}

TEST(RedisBloomFilter, RefusesWhatNoServerMakes) {
  const double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const double rate : {0.0, -0.0, 1.0, 1.5, -0.1, kNan, 5e-324}) {
    EXPECT_THROW(redisbloom::reserve({.error_rate = rate}), std::invalid_argument) << rate;
  }
  for (const std::uint64_t capacity : {std::uint64_t{0}, std::uint64_t{1'000'000'000'000'000'000},
                                       std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    EXPECT_THROW(redisbloom::reserve({.capacity = capacity}), std::invalid_argument) << capacity;
  }
  AnyFilter filter = redisbloom::reserve({.capacity = 1'000, .expansion = 0xffffffff});
  const auto keys = texts(2'000, "k");
  InsertProgress progress;
  EXPECT_THROW(filter.insert_while_room(keys_of(keys), nullptr, progress), std::invalid_argument);
  EXPECT_EQ(progress.added, 1'000U);
  EXPECT_TRUE(filter.may_contain(keys[progress.done - 1]));
  EXPECT_FALSE(filter.may_contain(keys[progress.done]));
  EXPECT_EQ(filter.inserted(), 1'000U);
}

TEST(RedisBloomFilter, RefusesContentsThatNoChainHas) {
  AnyFilter filter = redisbloom::reserve({.capacity = 10});
  filter.insert_many(keys_of(texts(100, "k")));
  const FilterContents good = filter.contents();
  ASSERT_NO_THROW(redisbloom::check_chain(good));
  ASSERT_EQ(good.layers.size(), 4U);
  const std::function<void(FilterContents&)> faults[] = {
      [](FilterContents& c) { c.layers.clear(); },
      [](FilterContents& c) { c.inserted += 1; },
      [](FilterContents& c) { c.layers[1].inserted = ~std::uint64_t{0}; },
      [](FilterContents& c) { c.layers[1].geometry.probe_count = 0; },
      [](FilterContents& c) { c.layers[1].geometry.probe_count = redisbloom::kMostProbes + 1; },
      [](FilterContents& c) { c.layers[1].geometry.bit_count = 0; },
      [](FilterContents& c) { c.layers[1].geometry.bit_count = std::uint64_t{1} << 61; },
      [](FilterContents& c) { c.layers[1].geometry.lines_per_key = 1; },
      [](FilterContents& c) { c.layers[1].capacity = 0; },
      [](FilterContents& c) { c.layers[1].false_positive_rate = 1; },
      [](FilterContents& c) {
        c.layers[1].false_positive_rate = std::numeric_limits<double>::quiet_NaN();
      },
      [](FilterContents& c) { c.layers.resize(redisbloom::kMostLinks + 1, c.layers[0]); },
      [](FilterContents& c) { c.parameters.kind = FilterKind::redisbloom_32; },
      [](FilterContents& c) { c.parameters.foreign_options &= ~redisbloom::kForce64; },
      [](FilterContents& c) { c.parameters.foreign_options |= 1 << 9; },
      [](FilterContents& c) { c.parameters.growth.expansion = 1.5; },
      [](FilterContents& c) { c.parameters.growth.expansion = 0x1p33; },
      [](FilterContents& c) { c.parameters.growth.tightening = 0.9; },
      [](FilterContents& c) { c.parameters.capacity += 1; },
      [](FilterContents& c) { c.parameters.false_positive_rate = 0.02; },
      [](FilterContents& c) { c.parameters.geometry.bit_count += 64; },
  };
  for (std::size_t i = 0; i < std::size(faults); ++i) {
    FilterContents bad = good;
    faults[i](bad);
    EXPECT_THROW(redisbloom::check_chain(bad), FormatError) << "fault " << i;
  }
}

}  // namespace
}  // namespace bloomery
