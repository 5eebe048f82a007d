#include "bloomery/hash/highway_hash.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

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

}  // namespace
}  // namespace bloomery
