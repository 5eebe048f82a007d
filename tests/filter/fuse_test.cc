// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/fuse_shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <span>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/filter/build_fuse.h"
#include "bloomery/filter/static_filter.h"
#include "tests/support/binomial.h"
#include "tests/support/keys.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::random_keys;
using ::testing::ThrowsMessage;

constexpr StaticOptions fuse_at(double rate) {
  return {.false_positive_rate = rate, .form = StaticForm::fuse};
}

// Asks as the format says it, slot by slot and bit by bit.
bool model_contains(std::span<const std::byte> bytes, HashPair hash) {
  const auto byte = [&](std::size_t from_end) {
    return std::to_integer<std::uint64_t>(bytes[bytes.size() - from_end]);
  };
  const std::uint64_t bits = byte(7);
  const std::uint64_t length = std::uint64_t{1} << byte(6);
  for (std::uint64_t i = 0; i < byte(5); ++i) {
    hash = {(hash.h1 ^ hash.h2) * 0xa0761d6478bd642f, std::rotl(hash.h2, 13) + hash.h1};
  }
  const std::uint64_t segments = 8 * (bytes.size() - 8) / bits / length;
  const std::uint64_t first = fast_range(hash.h1, (segments - 2) * length);
  const std::uint64_t slots[] = {first, (first / length + 1) * length + hash.h2 % length,
                                 (first / length + 2) * length + (hash.h2 >> 32) % length};
  for (std::uint64_t i = 0; i < bits; ++i) {
    std::uint64_t sum = hash.h1 >> i & 1;
    for (const std::uint64_t slot : slots) {
      const std::uint64_t at = slot * bits + i;
      sum ^= std::to_integer<std::uint64_t>(bytes[at / 8]) >> at % 8 & 1;
    }
    if (sum != 0) return false;
  }
  return true;
}

TEST(Fuse, AnswersAsItsFormatSays) {
  for (const std::size_t count : {1U, 2U, 3U, 10U, 100U, 1'000U, 30'000U}) {
    for (const double rate : {0.5, 0.3, 0.01, 0.001, 1e-6, 0x1p-32}) {
      const auto keys = random_keys(count, count);
      const auto bytes = build_static_filter(keys, fuse_at(rate));
      const StaticFilter filter(bytes);
      ASSERT_TRUE(filter.is_fuse());
      EXPECT_TRUE(filter.verify());
      for (const std::uint64_t key : keys) {
        ASSERT_TRUE(filter.may_contain(key)) << count << " keys at " << rate;
        ASSERT_TRUE(model_contains(bytes, filter.hash(key)));
      }
      for (const std::uint64_t other : random_keys(1'000, 1)) {
        ASSERT_EQ(filter.may_contain(other), model_contains(bytes, filter.hash(other)));
      }
    }
  }
}

TEST(Fuse, KeepsItsRateForStructuredKeys) {
  for (const auto& pattern : testing::key_patterns()) {
    std::vector<std::string> members;
    for (std::uint64_t i = 0; i < 20'000; ++i) members.emplace_back(pattern.make(i));
    const auto bytes = build_static_filter(testing::keys_of(members), fuse_at(0.01));
    const StaticFilter filter(bytes);
    EXPECT_EQ(filter.predicted_rate(), 1.0 / 128);
    double positives = 0;
    for (std::uint64_t i = 20'000; i < 120'000; ++i) {
      positives += filter.may_contain(Key(pattern.make(i))) ? 1 : 0;
    }
    EXPECT_LE(positives, testing::binomial_upper(100'000, 1.0 / 128)) << pattern.name;
    EXPECT_GE(positives, 100'000.0 / 128 * 0.7) << pattern.name;
  }
}

TEST(Fuse, IsWhatASetBecomesThatIsSmallerSo) {
  const auto keys = random_keys(1'000'000, 3);
  const auto chosen = build_static_filter(keys, {.false_positive_rate = 1.0 / 256});
  EXPECT_TRUE(StaticFilter(chosen).is_fuse());
  EXPECT_LE(8 * chosen.size(), 9'100'000U);
  const StaticOptions bloom{.false_positive_rate = 1.0 / 256, .form = StaticForm::bloom};
  EXPECT_GE(8 * build_static_filter(keys, bloom).size(), 11'500'000U);
  EXPECT_FALSE(StaticFilter(build_static_filter(keys, {.one_line = true})).is_fuse());
  EXPECT_FALSE(StaticFilter(build_static_filter(random_keys(100, 3))).is_fuse());
  // No fingerprint has less than a bit.
  EXPECT_FALSE(StaticFilter(build_static_filter(keys, {.false_positive_rate = 0.9})).is_fuse());
}

TEST(Fuse, SaysHowManyKeysItHas) {
  const auto bytes = build_static_filter(random_keys(100'000, 5), fuse_at(0.01));
  EXPECT_NEAR(StaticFilter(bytes).cardinality(), 100'000, 1'000);
  EXPECT_NEAR(StaticFilter(bytes).fill_ratio(), 0.44, 0.02);
}

// Two keys with one first word have the same places as long as their second words agree in what
// places are made of, and so have no slot to themselves: others are found, or more room.
TEST(Fuse, IsBuiltOfKeysThatCollide) {
  std::vector<HashPair> hashes;
  for (std::uint64_t i = 0; i < 300; ++i) hashes.push_back({7, i << 20});
  const auto bytes = build_static_filter(hashes, fuse_at(0.01));
  const StaticFilter filter(bytes);
  for (const HashPair hash : hashes) ASSERT_TRUE(filter.may_contain_hash(hash));
}

TEST(Fuse, OfNoKeysContainsNone) {
  const auto bytes = build_static_filter(std::vector<Key>{}, fuse_at(0.01));
  EXPECT_EQ(bytes.size(), 8U);
  EXPECT_FALSE(StaticFilter(bytes).may_contain("anything"));
  EXPECT_TRUE(StaticFilter(bytes).is_fuse());
}

TEST(Fuse, RefusesWhatItCannotKeep) {
  EXPECT_THAT([] { build_static_filter(random_keys(5, 1), fuse_at(1e-10)); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("at least 2^-32")));
  EXPECT_THROW(build_static_filter(random_keys(5, 1), {.form = StaticForm::fuse, .one_line = true}),
               std::invalid_argument);
  EXPECT_FALSE(
      StaticFilter(build_static_filter(random_keys(50'000, 1), {.false_positive_rate = 1e-10}))
          .is_fuse());
}

TEST(Fuse, RefusesBytesThatAreNone) {
  const auto bytes = build_static_filter(random_keys(1'000, 1), fuse_at(0.01));
  const auto refused = [&](std::size_t from_end, int value) {
    auto damaged = bytes;
    damaged[damaged.size() - from_end] = static_cast<std::byte>(value);
    EXPECT_THROW(StaticFilter{damaged}, FormatError) << from_end << " " << value;
  };
  for (const int bits : {0, 33, 255}) refused(7, bits);
  for (const int log : {0, 5, 19, 64, 255}) refused(6, log);
  refused(6, 18);  // fewer than three such segments
  refused(5, 16);
  for (const std::size_t less : {8U, 16U, 400U}) {
    auto cut = bytes;
    cut.erase(cut.begin(), cut.begin() + static_cast<std::ptrdiff_t>(less));
    EXPECT_THROW(StaticFilter{cut}, FormatError) << less;
  }
}

}  // namespace
}  // namespace bloomery
