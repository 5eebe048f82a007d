// SPDX-License-Identifier: Apache-2.0
#include "cli/dedup/suspect_set.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace bloomery::cli {
namespace {

bool first(SuspectSet& set, Key key) {
  std::array<bool, 1> answer{};
  set.are_first({&key, 1}, answer);
  return answer[0];
}

void insert(SuspectSet& set, Key key) {
  const std::array<bool, 1> selected{true};
  set.insert_many({&key, 1}, selected, true);
}

TEST(SuspectSet, KnowsItsKeysFromTheSecondTimeOn) {
  SuspectSet set;
  for (const Key key : {Key(""), Key("a"), Key("\0\0", 2), Key("a")}) insert(set, key);
  EXPECT_EQ(set.size(), 3U);
  for (const Key key : {Key(""), Key("a"), Key("\0\0", 2)}) {
    EXPECT_TRUE(first(set, key));
    EXPECT_FALSE(first(set, key));
    EXPECT_FALSE(first(set, key));
  }
  for (const Key key : {Key("b"), Key("\0", 1)}) {
    EXPECT_TRUE(first(set, key));
    EXPECT_TRUE(first(set, key)) << "is none of its keys";
  }
}

TEST(SuspectSet, TakesOnlyWhatIsSelectedAndCopiesIt) {
  SuspectSet set;
  std::string a = "a";
  std::string b = "b";
  const std::array<Key, 2> keys{a, b};
  const std::array<bool, 2> selected{true, false};
  set.insert_many(keys, selected, false);
  a = b = "x";
  EXPECT_EQ(set.size(), 1U);
  EXPECT_TRUE(first(set, "b"));
  EXPECT_FALSE(first(set, "b"));
}

TEST(SuspectSet, GrowsWithItsKeysAndTheirLength) {
  SuspectSet set;
  constexpr std::size_t kKeys = 30'000;
  std::vector<std::string> bytes;
  for (std::size_t i = 0; i < kKeys; ++i) {
    bytes.push_back(std::to_string(i) + std::string(i % 1'000 == 0 ? 300'000 : i % 90, 'x'));
  }
  const std::vector<Key> keys(bytes.begin(), bytes.end());
  const auto answers = std::make_unique<bool[]>(kKeys);
  for (std::size_t i = 0; i < kKeys; ++i) answers[i] = i % 2 == 0;
  set.insert_many(keys, {answers.get(), kKeys}, true);
  EXPECT_EQ(set.size(), kKeys / 2);
  set.are_first(keys, {answers.get(), kKeys});
  for (std::size_t i = 0; i < kKeys; ++i) ASSERT_TRUE(answers[i]) << i;
  set.are_first(keys, {answers.get(), kKeys});
  for (std::size_t i = 0; i < kKeys; ++i) ASSERT_EQ(answers[i], i % 2 == 1) << i;
}

TEST(SuspectSet, SeesRepeatsWithinABatch) {
  SuspectSet set;
  insert(set, "a");
  const std::array<Key, 4> keys{"a", "b", "a", "b"};
  std::array<bool, 4> answers{};
  set.are_first(keys, answers);
  EXPECT_EQ(answers, (std::array<bool, 4>{true, true, false, true}));
}

}  // namespace
}  // namespace bloomery::cli
