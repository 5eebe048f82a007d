#include "bloomery/hash/product_hash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace bloomery {
namespace {

HashPair hash(const std::string& key, std::uint64_t seed = 0) {
  return ProductHash::hash_key(key, IntegerHash::spread_seed(seed));
}

std::string bytes_up_to(std::size_t size) {
  std::string bytes(size, '\0');
  std::iota(bytes.begin(), bytes.end(), '\0');
  return bytes;
}

// Of an implementation in another language, from docs/format.md. Stored bits depend on these: a
// change to the hash has to be a decision, and a new HashId.
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
  EXPECT_EQ(hash(bytes_up_to(200)), (HashPair{0x4b2b4fb202ce7f5a, 0x968694f162bfd718}));
}

TEST(ProductHash, EveryBitOfAKeyOfEveryLengthCounts) {
  for (std::size_t size = 1; size <= 150; ++size) {
    std::string key = bytes_up_to(size);
    std::set<std::pair<std::uint64_t, std::uint64_t>> seen{{hash(key).h1, hash(key).h2}};
    for (std::size_t bit = 0; bit < 8 * size; ++bit) {
      key[bit / 8] = static_cast<char>(key[bit / 8] ^ (1 << (bit % 8)));
      seen.insert({hash(key).h1, hash(key).h2});
      key[bit / 8] = static_cast<char>(key[bit / 8] ^ (1 << (bit % 8)));
    }
    EXPECT_EQ(seen.size(), 1 + 8 * size) << size;
  }
}

// Words overlap in short keys, so keys of one character differ by their length alone.
TEST(ProductHash, TellsLengthsApart) {
  for (const char character : {'\0', 'a', '\xff'}) {
    std::set<std::uint64_t> seen;
    for (std::size_t size = 0; size <= 200; ++size)
      seen.insert(hash(std::string(size, character)).h1);
    EXPECT_EQ(seen.size(), 201U);
  }
}

// No bit of a hash leans to one side where texts differ in little: 65,536 keys of each family are
// six standard deviations from half at most, in any of 128 bits of seven families.
TEST(ProductHash, SpreadsTextsThatDifferInLittle) {
  constexpr std::uint64_t kCount = 1 << 16;
  const std::vector<std::string (*)(std::uint64_t)> families{
      [](std::uint64_t i) { return std::to_string(i) + (i < 10'000'000 ? "." : ""); },
      [](std::uint64_t i) {
        return "https://example.com/item/" + std::to_string(i) + "/details.html";
      },
      [](std::uint64_t i) { return "user:" + std::to_string(i * 4096) + ":session"; },
      [](std::uint64_t i) {
        std::string key(32, '\0');
        for (int b = 0; b < 8; ++b) key[12 + b] = static_cast<char>(i >> (8 * b));
        return key;
      },
      [](std::uint64_t i) {
        std::string key(48, '\0');
        for (int b = 0; b < 24; ++b) key[2 * b] = static_cast<char>((i >> b) & 1);
        return key;
      },
      [](std::uint64_t i) {
        return std::string(300, 'x') + std::to_string(i) + std::string(50, 'y');
      },
      [](std::uint64_t i) { return std::to_string(i % 256) + std::string(9 + i / 256, '0'); },
  };
  for (std::size_t family = 0; family < families.size(); ++family) {
    std::vector<std::uint64_t> ones(128);
    for (std::uint64_t i = 0; i < kCount; ++i) {
      const HashPair pair = hash(families[family](i));
      for (int bit = 0; bit < 64; ++bit) {
        ones[bit] += pair.h1 >> bit & 1;
        ones[64 + bit] += pair.h2 >> bit & 1;
      }
    }
    const auto [least, most] = std::ranges::minmax(ones);
    EXPECT_GT(least, kCount / 2 - 6 * 128) << family;
    EXPECT_LT(most, kCount / 2 + 6 * 128) << family;
  }
}

}  // namespace
}  // namespace bloomery
