// SPDX-License-Identifier: Apache-2.0
#include "bloomery/hash/highway_hash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "tests/support/walled_room.h"

namespace bloomery {
namespace {

std::uint64_t from_hex(const std::string& digits) {
  return std::stoull(digits, nullptr, 16);
}

std::string bytes_from_hex(const std::string& digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

// Lengths 0 to 70 and beyond, recorded from the reference implementation.
TEST(HighwayHash, EqualsTheReferenceOnEveryTailLength) {
  const auto golden = nlohmann::json::parse(std::ifstream("golden/highway_hash.json"));
  SecretKey secret;
  for (std::size_t i = 0; i < secret.words.size(); ++i) {
    secret.words[i] = from_hex(golden["highwayhash_key"][i]);
  }
  ASSERT_GT(golden["hash128"].size(), 60U);
  for (const auto& vector : golden["hash128"]) {
    const std::string input = bytes_from_hex(vector["in_hex"]);
    const HashPair expected{from_hex(vector["h0"]), from_hex(vector["h1"])};
    EXPECT_EQ(highway_hash_128(input, secret), expected) << input.size() << " bytes";
    EXPECT_EQ(highway_hash_128_by_words(input, secret), expected) << input.size() << " bytes";
  }
}

TEST(HighwayHash, DependsOnEveryWordOfTheSecret) {
  const SecretKey zero;
  const HashPair hash = highway_hash_128("key", zero);
  for (std::size_t i = 0; i < zero.words.size(); ++i) {
    SecretKey other = zero;
    other.words[i] = 1;
    EXPECT_NE(highway_hash_128("key", other), hash);
  }
}

#if defined(__x86_64__)
TEST(HighwayHash, IsTheSameByVectorsAndReadsNoByteMore) {
  if (!has_avx2()) GTEST_SKIP() << "this processor has no AVX2";
  testing::WalledRoom room(200);
  std::string text;
  for (std::size_t size = 0; size < 200; ++size) {
    const SecretKey secret{{size * 0x9e3779b97f4a7c15, 2, ~size, 0x8000000000000001}};
    const auto bytes = room.last(size);
    std::ranges::copy(std::as_bytes(std::span(text)), bytes.begin());
    const Key key(reinterpret_cast<const char*>(bytes.data()), size);
    EXPECT_EQ(highway_hash_128_by_avx2(key.data(), key.size(), secret),
              highway_hash_128_by_words(key, secret))
        << size << " bytes";
    text += static_cast<char>(size * 151 + 200);
  }
}
#endif

TEST(HighwayHash, OfManyKeysIsThatOfEach) {
  const SecretKey secret{{1, 2, 3, 4}};
  const std::vector<Key> keys{"", "a", "12345678", "1234567890123456", "somewhat longer keys, too"};
  std::vector<HashPair> pairs(keys.size());
  highway_hash_128_many(keys, secret, pairs.data());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(pairs[i], highway_hash_128_by_words(keys[i], secret)) << keys[i];
  }
}

}  // namespace
}  // namespace bloomery
