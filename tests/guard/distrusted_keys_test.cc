// SPDX-License-Identifier: Apache-2.0
#include "bloomery/guard/distrusted_keys.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace bloomery {
namespace {

constexpr std::array<Key, 2> kBoth{"a", "b"};
constexpr std::array<Key, 1> kFirst{"a"};

TEST(DistrustedKeys, AreThoseThatWereAddedUntilTheyAreRemoved) {
  DistrustedKeys keys;
  EXPECT_FALSE(keys.any());
  keys.add(kBoth);
  EXPECT_TRUE(keys.any());
  EXPECT_TRUE(keys.contains("a"));
  EXPECT_FALSE(keys.contains("c"));
  keys.remove(kFirst, keys.now());
  EXPECT_FALSE(keys.contains("a"));
  EXPECT_TRUE(keys.contains("b"));
  keys.remove(kBoth, keys.now());
  EXPECT_FALSE(keys.any());
}

TEST(DistrustedKeys, AnEraseMakesGoodOnlyForWhatFailedBeforeIt) {
  DistrustedKeys keys;
  keys.add(kBoth);
  const DistrustedKeys::Moment erasing = keys.now();
  keys.add(kFirst);
  keys.remove(kBoth, erasing);
  EXPECT_TRUE(keys.contains("a"));
  EXPECT_FALSE(keys.contains("b"));
}

TEST(DistrustedKeys, AreAtMostSoMany) {
  DistrustedKeys keys;
  for (std::size_t i = 0; i <= DistrustedKeys::kMost; ++i) {
    const std::string key = std::to_string(i);
    const Key view = key;
    keys.add({&view, 1});
  }
  EXPECT_TRUE(keys.contains("0"));
  EXPECT_FALSE(keys.contains(std::to_string(DistrustedKeys::kMost)));
  const Key first = "0";
  keys.add({&first, 1});
  EXPECT_TRUE(keys.contains("0"));
}

}  // namespace
}  // namespace bloomery
