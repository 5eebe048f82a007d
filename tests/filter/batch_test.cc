// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/batch.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "bloomery/filter/blocked_filter.h"

namespace bloomery {
namespace {

TEST(KeyBatch, HoldsKeysOfEveryType) {
  const std::array<Key, 2> texts{"alice", "bob"};
  const std::vector<std::uint64_t> integers{1, 2, 3};
  const std::vector<HashPair> hashes{{1, 2}};
  EXPECT_EQ(KeyBatch(texts).size(), 2U);
  EXPECT_EQ(KeyBatch(integers).size(), 3U);
  EXPECT_EQ(KeyBatch(hashes).size(), 1U);
  EXPECT_EQ(KeyBatch(integers).subbatch(1, 2).size(), 2U);
  KeyBatch(integers).subbatch(1, 2).visit([](auto keys) {
    if constexpr (std::same_as<decltype(keys), std::span<const std::uint64_t>>) {
      EXPECT_EQ(keys[0], 2U);
    } else {
      ADD_FAILURE() << "integers became something else";
    }
  });
}

TEST(Answers, AreBoolsOrBitsAlike) {
  std::mt19937_64 random(5);
  BlockedFilter filter({.capacity = 2'000});
  for (const std::size_t count : {0U, 1U, 7U, 8U, 63U, 64U, 65U, 1'023U, 1'024U, 1'025U, 3'000U}) {
    std::vector<std::uint64_t> keys(count);
    for (auto& key : keys) key = random() % 4'000;
    std::vector<char> flags(count);
    std::vector<std::uint64_t> bits((count + 63) / 64 + 1, ~std::uint64_t{0});
    BlockedFilter other({.capacity = 2'000});
    EXPECT_EQ(filter.insert_many(keys, {reinterpret_cast<bool*>(flags.data()), count}), [&] {
      other.merge(filter);
      other.clear();
      return other.insert_many(keys, bits);
    }());
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(flags[i] != 0, ((bits[i / 64] >> (i % 64)) & 1) != 0) << i << " of " << count;
    }
    if (count % 64 != 0) {
      EXPECT_EQ(bits[count / 64] >> (count % 64), 0U);
    }
    EXPECT_EQ(bits.back(), ~std::uint64_t{0}) << "a word too many";
    filter.clear();
  }
}

TEST(Answers, TakeHashesThatWereMadeBefore) {
  BlockedFilter filter({.capacity = 100});
  const std::vector<HashPair> hashes{filter.hash(Key("alice")), filter.hash(std::uint64_t{7})};
  EXPECT_EQ(filter.insert_many(hashes), 2U);
  EXPECT_TRUE(filter.may_contain("alice"));
  EXPECT_TRUE(filter.may_contain(std::uint64_t{7}));
  std::array<bool, 2> found{};
  filter.may_contain_many(hashes, found);
  EXPECT_TRUE(found[0] && found[1]);
}

}  // namespace
}  // namespace bloomery
