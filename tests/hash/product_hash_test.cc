// SPDX-License-Identifier: Apache-2.0
#include "bloomery/hash/product_hash.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/hash/byte_texts.h"
#include "tests/hash/hashed_blocks.h"

namespace bloomery {
namespace {

HashPair hash(const std::string& key, std::uint64_t seed = 0) {
  return ProductHash::hash_key(key, IntegerHash::spread_seed(seed));
}

// The values are of an implementation in another language, from docs/format.md. Stored bits depend
// on them: a change to the hash has to be a decision, and a new HashId.
TEST(ProductHash, IsFixedForEver) {
  const std::string uuid = "550e8400-e29b-41d4-a716-446655440000";
  EXPECT_EQ(hash(""), (HashPair{0x8b07d4c871f18469, 0xde7ba024e7e70494}));
  EXPECT_EQ(hash("a"), (HashPair{0xc71fe97086ba8625, 0xe33b0ad18e8da84c}));
  EXPECT_EQ(hash("abc"), (HashPair{0xbb002b5b229c3b85, 0x664df5efc7823fea}));
  EXPECT_EQ(hash("1234567"), (HashPair{0x6096fc516661f634, 0x5e3b1f54c946baf8}));
  EXPECT_EQ(hash("123456789"), (HashPair{0x9ff3151741571d5c, 0x872aa87848ea21df}));
  EXPECT_EQ(hash("sixteen letters!"), (HashPair{0xf5287135cbfd865e, 0xb6225893f94c8e0c}));
  EXPECT_EQ(hash(uuid), (HashPair{0x52c2e96078a97098, 0x03ce2cf46d0a0ba9}));
  EXPECT_EQ(hash(uuid, 77), (HashPair{0xdd23f6ce95f5856a, 0xb8a9713d5a04d352}));
  EXPECT_EQ(hash(std::string(48, 'x')), (HashPair{0xb0d0cbc49cfbc12d, 0x2e6c0043696200f2}));
  EXPECT_EQ(hash(std::string(49, 'x')), (HashPair{0x27dfc842800d3f40, 0xe398e00849903d47}));
  EXPECT_EQ(hash(testing::bytes_from(0, 200)), (HashPair{0x4b2b4fb202ce7f5a, 0x968694f162bfd718}));
}

class ProductHashBlock : public ::testing::TestWithParam<const ProductWay*> {
 protected:
  static HashPair one(Key key, std::uint64_t spread) { return ProductHash::hash_key(key, spread); }
};

INSTANTIATE_TEST_SUITE_P(Ways, ProductHashBlock, ::testing::ValuesIn(product_ways()),
                         [](const auto& param) { return std::string(param.param->name); });

TEST_P(ProductHashBlock, IsThatOfEachKey) {
  testing::expect_that_of_each_key(GetParam()->block, one);
}

TEST_P(ProductHashBlock, ReadsNothingBesideAKey) {
  testing::expect_to_read_nothing_beside_a_key(GetParam()->block, one);
}

// Products of halves carry in every way: words of ones, and of few of them.
TEST_P(ProductHashBlock, CarriesAsProductsOf64BitsDo) {
  std::vector<std::string> texts;
  for (unsigned i = 0; i < 1'000; ++i) {
    std::string text(9 + i % 80, static_cast<char>(i % 3 == 0 ? 0xff : 0));
    text[i * 7 % text.size()] = static_cast<char>(i);
    text[i * 11 % text.size()] = static_cast<char>(0xff << i % 8);
    texts.push_back(text);
  }
  const std::vector<Key> keys(texts.begin(), texts.end());
  for (std::size_t at = 0; at < keys.size(); at += kProductBlock) {
    testing::Pairs pairs;
    const std::uint64_t spread = at % 5 == 0 ? ~std::uint64_t{0} : at;
    GetParam()->block(keys.data() + at, kProductBlock, spread, pairs.h1, pairs.h2);
    for (std::size_t i = 0; i < kProductBlock; ++i) {
      EXPECT_EQ((HashPair{pairs.h1[i], pairs.h2[i]}), one(keys[at + i], spread));
    }
  }
}

}  // namespace
}  // namespace bloomery
