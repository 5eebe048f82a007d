// SPDX-License-Identifier: Apache-2.0
#include "bloomery/hash/native_hash.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

namespace bloomery {
namespace {

std::string bytes_of(std::uint64_t integer) {
  std::string bytes(sizeof integer, '\0');
  std::memcpy(bytes.data(), &integer, sizeof integer);
  return bytes;
}

TEST(NativeHash, AnIntegerIsItsEightBytes) {
  for (const NativeHash& hash :
       {NativeHash(0), NativeHash(42), NativeHash(HashId::product, 42), NativeHash(HashId::aes, 42),
        NativeHash(HashId::fold, 42), NativeHash(SecretKey{{1, 2, 3, 4}})}) {
    for (const std::uint64_t integer : {std::uint64_t{0}, std::uint64_t{0x6162636465666768}}) {
      EXPECT_EQ(hash(integer), hash(bytes_of(integer)));
    }
  }
}

// XXH3-128 of the empty input and of "abc" as its authors' xxhsum prints them.
TEST(NativeHash, OtherKeysAreXxh3) {
  const NativeHash hash(0);
  EXPECT_EQ(hash(""), (HashPair{0x6001c324468d497f, 0x99aa06d3014798d8}));
  EXPECT_EQ(hash("abc"), (HashPair{0x78af5f94892f3950, 0x06b05ab6733a6185}));
}

// Three hashes differ for texts, and say so; two of them are equal for integers.
TEST(NativeHash, IsOneOfThreeForTexts) {
  for (const HashId id : {HashId::product, HashId::aes}) {
    const NativeHash hash(id, 5);
    EXPECT_EQ(hash.id(), id);
    EXPECT_EQ(hash.seed(), 5U);
    EXPECT_NE(hash, NativeHash(5));
    EXPECT_NE(hash("abc"), NativeHash(5)("abc"));
  }
  EXPECT_EQ(NativeHash(HashId::product, 5)(std::uint64_t{17}), NativeHash(5)(std::uint64_t{17}));
  EXPECT_NE(NativeHash(HashId::product, 5)("abc"), NativeHash(HashId::aes, 5)("abc"));
  // Texts as `product`, integers by a hash of their own.
  EXPECT_EQ(NativeHash(HashId::fold, 5)("abc"), NativeHash(HashId::product, 5)("abc"));
  EXPECT_NE(NativeHash(HashId::fold, 5)(std::uint64_t{17}), NativeHash(5)(std::uint64_t{17}));
}

TEST(NativeHash, AManyHashIsTheSameHash) {
  const std::vector<std::string> texts{"", "a", "12345678", "longer than eight",
                                       std::string(300, 'x')};
  const std::vector<Key> keys(texts.begin(), texts.end());
  for (const NativeHash& hash :
       {NativeHash(3), NativeHash(HashId::product, 3), NativeHash(HashId::aes, 3),
        NativeHash(HashId::fold, 3), NativeHash(SecretKey{{1, 2, 3, 4}})}) {
    std::vector<HashPair> pairs(keys.size());
    hash.hash_many(keys, pairs.data());
    for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(pairs[i], hash(keys[i]));
  }
}

TEST(NativeHash, SeedsAndSecretsChangeEveryKey) {
  for (const Key key : {Key("12345678"), Key("a longer key"), Key("")}) {
    EXPECT_NE(NativeHash(1)(key), NativeHash(2)(key));
    EXPECT_NE(NativeHash(HashId::product, 1)(key), NativeHash(HashId::product, 2)(key));
    EXPECT_NE(NativeHash(HashId::aes, 1)(key), NativeHash(HashId::aes, 2)(key));
    EXPECT_NE(NativeHash(HashId::fold, 1)(key), NativeHash(HashId::fold, 2)(key));
    EXPECT_NE(NativeHash(SecretKey{{1, 0, 0, 0}})(key), NativeHash(SecretKey{})(key));
  }
}

}  // namespace
}  // namespace bloomery
