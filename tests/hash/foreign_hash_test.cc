// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bloomery/hash/fnv.h"
#include "bloomery/hash/little_endian.h"
#include "bloomery/hash/murmur2.h"
#include "bloomery/hash/murmur3.h"
#include "bloomery/hash/xxh64.h"
#include "tests/support/golden.h"

// The hashes that filters of other systems are made with, against what those systems recorded.
namespace bloomery {
namespace {

template <class T>
std::string bytes_of(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// SMHasher's own check of an implementation: a hash over the hashes of {}, {0}, {0, 1} and so on
// to 255 bytes, each under another seed.
template <class Hash>
std::uint32_t verification(Hash hash) {
  std::string key;
  std::string hashes;
  for (int i = 0; i < 256; ++i) {
    hashes += bytes_of(hash(Key(key), static_cast<std::uint32_t>(256 - i)));
    key += static_cast<char>(i);
  }
  const std::string last = bytes_of(hash(Key(hashes), 0U));
  return load_little_endian<std::uint32_t>(last.data());
}

TEST(ForeignHash, VerifiesAsTheReferenceDoes) {
  EXPECT_EQ(verification([](Key key, std::uint32_t seed) { return murmur3_128(key, seed); }),
            0x6384ba69U);
  EXPECT_EQ(verification([](Key key, std::uint32_t seed) { return murmur3_32(key, seed); }),
            0xb0f57ee3U);
  EXPECT_EQ(verification([](Key key, std::uint32_t seed) { return murmur2_64a(key, seed); }),
            0x1f0d3804U);
  EXPECT_EQ(verification([](Key key, std::uint32_t seed) { return murmur2_32(key, seed); }),
            0x27864c1eU);
}

TEST(ForeignHash, EqualsGuavasMurmur3) {
  const auto golden = golden::read("guava.json");
  ASSERT_GT(golden["murmur3_128_seed0"].size(), 40U);
  for (const auto& vector : golden["murmur3_128_seed0"]) {
    const HashPair hash = murmur3_128(golden::bytes_of_hex(vector["in_hex"]));
    EXPECT_EQ(bytes_of(hash), golden::bytes_of_hex(vector["as_bytes_hex"])) << vector["in_hex"];
    EXPECT_EQ(vector["as_long"], std::to_string(static_cast<std::int64_t>(hash.h1)));
  }
}

TEST(ForeignHash, EqualsGoZerosMurmur3OfAKeyAndOneByteMore) {
  const auto golden = golden::read("gozero.json");
  ASSERT_GE(golden["hash_vectors"].size(), 10U);
  for (const auto& vector : golden["hash_vectors"]) {
    const std::string key = golden::bytes_of_hex(vector["in_hex"]);
    std::uint8_t last = 0;
    for (const auto& sum : vector["sum64_of_key_plus_index_byte"]) {
      EXPECT_EQ(murmur3_128_appended(key, last++).h1, golden::number_of_hex(sum));
    }
  }
}

TEST(ForeignHash, AppendsAByteAsIfItStoodInTheKey) {
  std::string key;
  for (int i = 0; i < 50; ++i) {
    const std::string longer = key + '\xa7';
    EXPECT_EQ(murmur3_128_appended(key, 0xa7, 5), murmur3_128(longer, 5)) << i << " bytes";
    key += static_cast<char>(i);
  }
}

TEST(ForeignHash, EqualsOrestesMurmur3Of32Bits) {
  const auto golden = golden::read("orestes.json");
  ASSERT_GE(golden["hash_positions"].size(), 12U);
  for (const auto& vector : golden["hash_positions"]) {
    const std::string key = vector["key"]["s"];
    const std::uint32_t first = vector["murmur3_32_seed0"];
    EXPECT_EQ(murmur3_32(key), first) << key;
    EXPECT_EQ(murmur3_32(key, first), vector["murmur3_32_seed_h1"]) << key;
  }
}

TEST(ForeignHash, EqualsPyreBloomsMurmur2) {
  const auto golden = golden::read("pyrebloom.json");
  ASSERT_GE(golden["hash_vectors"].size(), 16U);
  for (const auto& vector : golden["hash_vectors"]) {
    const std::string key = golden::bytes_of_hex(vector["in_hex"]);
    for (const auto& [seed, hash] : vector["murmurhash64a_by_seed"].items()) {
      EXPECT_EQ(murmur2_64a(key, std::stoull(seed)), golden::number_of_hex(hash)) << key;
    }
  }
}

// Values from the publications of FNV and xxHash.
TEST(ForeignHash, EqualsPublishedValuesOfFnvAndXxh64) {
  EXPECT_EQ(fnv1_64(""), 0xcbf29ce484222325);
  EXPECT_EQ(fnv1_64("a"), 0xaf63bd4c8601b7be);
  EXPECT_EQ(fnv1_64("foobar"), 0x340d8765a4dda9c2);
  EXPECT_EQ(xxh64(""), 0xef46db3751d8e999);
  EXPECT_EQ(xxh64("abc"), 0x44bc2cf5ad770999);
  EXPECT_NE(xxh64("abc", 1), xxh64("abc"));
}

TEST(ForeignHash, TakesAKeyWithoutMemoryOrAtAnOddAddress) {
  EXPECT_EQ(murmur3_128(Key()), HashPair({0, 0}));
  EXPECT_EQ(murmur3_128_appended(Key(), 0), murmur3_128(Key("\0", 1)));
  EXPECT_EQ(murmur3_32(Key()), 0U);
  EXPECT_EQ(murmur2_64a(Key(), 0), 0U);
  EXPECT_EQ(murmur2_32(Key(), 0), 0U);
  EXPECT_EQ(xxh64(Key()), xxh64(""));
  const std::string text = "x0123456789abcdefghijklmnopqrstuvwxyz";
  const std::string aligned = text.substr(1);
  const Key odd = Key(text).substr(1);
  EXPECT_EQ(murmur3_128(odd), murmur3_128(aligned));
  EXPECT_EQ(murmur3_32(odd), murmur3_32(aligned));
  EXPECT_EQ(murmur2_64a(odd, 1), murmur2_64a(aligned, 1));
  EXPECT_EQ(murmur2_32(odd, 1), murmur2_32(aligned, 1));
}

}  // namespace
}  // namespace bloomery
