// SPDX-License-Identifier: Apache-2.0
#include "bloomery/hash/aes_hash.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "bloomery/hash/integer_hash.h"
#include "bloomery/hash/native_hash.h"
#include "tests/hash/byte_texts.h"
#include "tests/hash/hashed_blocks.h"

namespace bloomery {
namespace {

class AesHash : public ::testing::TestWithParam<const AesWay*> {
 protected:
  static HashPair hash(Key key, std::uint64_t seed = 0) {
    return GetParam()->one(key, IntegerHash::spread_seed(seed));
  }
};

INSTANTIATE_TEST_SUITE_P(Ways, AesHash, ::testing::ValuesIn(aes_ways()),
                         [](const auto& param) { return std::string(param.param->name); });

#if defined(__aarch64__)
TEST(AesHashOfArm, IsTheProcessors) {
  EXPECT_EQ(aes_ways().front()->name, "aes");
}
#endif

// The values are of an implementation in another language, from docs/format.md. Stored bits depend
// on them: a change to the hash has to be a decision, and a new HashId.
TEST_P(AesHash, IsFixedForEver) {
  const std::string uuid = "550e8400-e29b-41d4-a716-446655440000";
  EXPECT_EQ(hash(""), (HashPair{0x6422c50a8ca57380, 0x3bb6663b603b5432}));
  EXPECT_EQ(hash("a"), (HashPair{0xb4c444dd4078f564, 0xe9d156c4e5dd8a06}));
  EXPECT_EQ(hash("abc"), (HashPair{0x0ac760d7a0603ba2, 0x3119fe553321ff2f}));
  EXPECT_EQ(hash("1234567"), (HashPair{0x5b523bfbf93efe6f, 0x5500436fe7432b82}));
  EXPECT_EQ(hash("12345678"), (HashPair{0xae81fd8298e969d8, 0xcbc652abc52c4352}));
  EXPECT_EQ(hash("123456789"), (HashPair{0x47132d4a07bc47c0, 0x418e5f449ec687cb}));
  EXPECT_EQ(hash("sixteen letters!"), (HashPair{0xe128f8edb9ff15e4, 0x4399d7be72240d66}));
  EXPECT_EQ(hash(uuid), (HashPair{0x34393cae14a552ee, 0xd64adfc81efd3253}));
  EXPECT_EQ(hash(uuid, 77), (HashPair{0x5bb80732c365a7fd, 0x9c4aaa7d9e2bf897}));
  EXPECT_EQ(hash(std::string(64, 'x')), (HashPair{0x6a5f75babfd41d29, 0xd79806b6b77f00d6}));
  EXPECT_EQ(hash(std::string(65, 'x')), (HashPair{0xa2f6bb47489f28fb, 0x447b8828ac1ae9d8}));
  EXPECT_EQ(hash(testing::bytes_from(0, 200)), (HashPair{0x6b4e4edfd5730a02, 0xa43b82b1bfd2fbde}));
}

TEST_P(AesHash, IsThatOfPlainCode) {
  for (std::size_t size = 0; size <= 700; ++size) {
    const std::string key = testing::bytes_from(7 * size, size);
    EXPECT_EQ(hash(key, size), aes_ways().back()->one(key, IntegerHash::spread_seed(size))) << size;
  }
}

TEST_P(AesHash, OfABlockIsThatOfEachKey) {
  testing::expect_that_of_each_key(GetParam()->block, GetParam()->one);
}

TEST_P(AesHash, OfNumbersIsThatOfTheirBytes) {
  for (std::uint64_t i = 0; i < 100; ++i) {
    std::vector<std::uint64_t> numbers(1 + i % kAesBlock);
    for (std::uint64_t& number : numbers) number = (&number - numbers.data() + i) << (i % 57);
    testing::Pairs pairs;
    GetParam()->numbers(numbers.data(), numbers.size(), i, pairs.h1, pairs.h2);
    for (std::size_t j = 0; j < numbers.size(); ++j) {
      const Key bytes(reinterpret_cast<const char*>(&numbers[j]), sizeof numbers[j]);
      EXPECT_EQ((HashPair{pairs.h1[j], pairs.h2[j]}), GetParam()->one(bytes, i));
      EXPECT_EQ(NativeHash(HashId::aes, 7)(numbers[j]), NativeHash(HashId::aes, 7)(bytes));
    }
  }
}

TEST_P(AesHash, ReadsNothingBesideAKey) {
  testing::expect_to_read_nothing_beside_a_key(GetParam()->block, GetParam()->one);
}

}  // namespace
}  // namespace bloomery
