#include "bloomery/filter/static_filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/filter/sizing.h"
#include "tests/support/binomial.h"
#include "tests/support/keys.h"

namespace bloomery {
namespace {

using testing::binomial_upper;
using testing::key_patterns;
using testing::KeyPattern;
using testing::keys_of;
using testing::random_keys;
using testing::texts;

TEST(StaticFilter, FindsEveryKeyOfItsSet) {
  for (const bool one_line : {false, true}) {
    for (const std::size_t count : {1U, 2U, 7U, 64U, 1'000U, 100'000U}) {
      for (const double rate : {0.5, 0.01, 0.0001}) {
        const auto keys = random_keys(count, count);
        const auto bytes =
            build_static_filter(keys, {.false_positive_rate = rate, .one_line = one_line});
        const StaticFilter filter(bytes);
        for (const std::uint64_t key : keys) ASSERT_TRUE(filter.may_contain(key)) << count;
        EXPECT_LE(filter.predicted_rate(), rate);
      }
    }
  }
}

// Of the very bits: no luck of the set is left, only that of the sample.
TEST(StaticFilter, KeepsItsRateForEverySize) {
  const auto strangers = random_keys(300'000, 99);
  std::vector<char> found(strangers.size());
  for (const bool one_line : {false, true}) {
    for (const std::size_t count : {1U, 3U, 10U, 100U, 1'000U, 50'000U}) {
      for (const double rate : {0.1, 0.01, 0.001}) {
        const auto bytes = build_static_filter(random_keys(count, 5 * count),
                                               {.false_positive_rate = rate, .one_line = one_line});
        const StaticFilter filter(bytes);
        filter.may_contain_many(strangers, {reinterpret_cast<bool*>(found.data()), found.size()});
        const auto positives = std::ranges::count(found, 1);
        EXPECT_LE(static_cast<double>(positives), binomial_upper(300'000, rate))
            << count << " keys at " << rate;
      }
    }
  }
}

TEST(StaticFilter, KeepsItsRateForStructuredKeys) {
  for (const KeyPattern& pattern : key_patterns()) {
    std::vector<std::string> members;
    for (std::uint64_t i = 0; i < 5'000; ++i) members.emplace_back(pattern.make(i));
    const auto bytes = build_static_filter(keys_of(members));
    const StaticFilter filter(bytes);
    double positives = 0;
    for (std::uint64_t i = 5'000; i < 105'000; ++i) {
      positives += filter.may_contain(Key(pattern.make(i))) ? 1 : 0;
    }
    EXPECT_LE(positives, binomial_upper(100'000, 0.01)) << pattern.name;
  }
}

TEST(StaticFilter, IsTheSmallest) {
  for (const std::size_t count : {1U, 10U, 100U, 1'000U, 100'000U}) {
    const auto bytes = build_static_filter(random_keys(count, count));
    const double theory = static_cast<double>(count) * std::log2(100) / std::log(2) / 8;
    EXPECT_LE(static_cast<double>(bytes.size()), std::ceil(1.02 * theory) + 8) << count;
    const FilterOptions options{.capacity = count};
    EXPECT_LE(bytes.size(), classic_geometry(options).bit_count / 8 + 8);
    const auto lines = build_static_filter(random_keys(count, count), {.one_line = true});
    EXPECT_LE(lines.size(), blocked_geometry(options).bit_count / 8 + 8);
  }
  EXPECT_EQ(build_static_filter(std::vector<Key>{}).size(), 8U);
}

TEST(StaticFilter, OfNoKeysContainsNone) {
  const auto bytes = build_static_filter(std::vector<Key>{});
  const StaticFilter filter(bytes);
  EXPECT_FALSE(filter.may_contain("anything"));
  EXPECT_EQ(filter.predicted_rate(), 0);
  bool found = true;
  filter.may_contain_many(std::vector<Key>{"a"}, {&found, 1});
  EXPECT_FALSE(found);
  EXPECT_TRUE(filter.verify());
}

TEST(StaticFilter, IsAskedWhereItLiesAtAnyAddress) {
  const auto members = texts(500, "member:");
  for (const bool one_line : {false, true}) {
    const auto bytes = build_static_filter(keys_of(members), {.one_line = one_line});
    std::vector<std::byte> room(bytes.size() + 8);
    for (std::size_t shift = 0; shift < 8; ++shift) {
      std::ranges::copy(bytes, room.begin() + static_cast<std::ptrdiff_t>(shift));
      const StaticFilter filter(std::span<const std::byte>(room).subspan(shift, bytes.size()));
      for (const auto& member : members) ASSERT_TRUE(filter.may_contain(Key(member)));
    }
  }
}

TEST(StaticFilter, IsTheSameForTheSameSetInAnyOrder) {
  auto members = texts(300, "member:");
  const auto bytes = build_static_filter(keys_of(members));
  std::ranges::reverse(members);
  members.push_back(members.front());
  EXPECT_EQ(build_static_filter(keys_of(members)), bytes);
  std::vector<HashPair> hashes;
  for (const auto& member : members) hashes.push_back(NativeHash()(Key(member)));
  EXPECT_EQ(build_static_filter(hashes), bytes);
}

TEST(StaticFilter, ABatchAnswersAsSingleCallsDo) {
  for (const bool one_line : {false, true}) {
    for (const std::size_t count : {20U, 2'000'000U}) {
      const auto bytes = build_static_filter(random_keys(count, 3), {.one_line = one_line});
      const StaticFilter filter(bytes);
      auto asked = random_keys(2'000, 4);
      const auto members = random_keys(20, 3);
      asked.insert(asked.begin() + 100, members.begin(), members.end());
      std::vector<std::uint64_t> found((asked.size() + 63) / 64);
      filter.may_contain_many(asked, found);
      for (std::size_t i = 0; i < asked.size(); ++i) {
        ASSERT_EQ(((found[i / 64] >> (i % 64)) & 1) != 0, filter.may_contain(asked[i]));
      }
    }
  }
}

// As the format has it since its first version: never to change.
TEST(StaticFilter, WritesTheBytesOfItsSpecification) {
  const auto hex = [](const std::vector<std::byte>& bytes) {
    std::string text;
    char two[3];
    for (const std::byte byte : bytes) {
      std::snprintf(two, sizeof two, "%02x", std::to_integer<unsigned>(byte));
      text += two;
    }
    return text;
  };
  const std::vector<Key> keys{"alice", "bob", "carol"};
  EXPECT_EQ(hex(build_static_filter(keys)), "90014801b1030007b9c0301b");
  EXPECT_EQ(hex(build_static_filter(keys, {.one_line = true})),
            "00100000000040040000100020080000020010004000000000000002010010006000000000000020"
            "001080000001000000120000400000000000400060000000b108010058002438");
  EXPECT_EQ(hex(build_static_filter(std::vector<Key>{})), "b1000000fd6e600a");
}

TEST(StaticFilter, RefusesBytesThatAreNone) {
  const auto bytes = build_static_filter(random_keys(100, 1), {.one_line = true});
  const auto refuses = [](std::vector<std::byte> damaged) {
    EXPECT_THROW(StaticFilter{damaged}, FormatError);
  };
  for (std::size_t size = 0; size < 8; ++size) refuses({bytes.begin(), bytes.begin() + size});
  refuses({bytes.begin(), bytes.end() - 1});
  refuses({bytes.begin() + 1, bytes.end()});
  const std::size_t trailer = bytes.size() - 8;
  for (std::size_t at = trailer; at < trailer + 4; ++at) {
    auto damaged = bytes;
    damaged[at] = std::byte{0xff};
    refuses(damaged);
  }
  auto no_probes = bytes;
  no_probes[trailer + 1] = std::byte{0};
  refuses(no_probes);
  for (std::size_t at = 0; at < trailer; at += 7) {
    auto damaged = bytes;
    damaged[at] ^= std::byte{1};
    EXPECT_FALSE(StaticFilter(damaged).verify());
  }
  EXPECT_TRUE(StaticFilter(bytes).verify());
}

TEST(StaticFilter, RefusesWhatItCannotKeep) {
  for (const double rate : {0.0, 1.0, -1.0, std::nan(""), 1e-300}) {
    EXPECT_THROW(build_static_filter(random_keys(5, 1), {.false_positive_rate = rate}),
                 std::invalid_argument);
  }
  EXPECT_THROW(build_static_filter(random_keys(5, 1), {.unit_bytes = 3}), std::invalid_argument);
}

}  // namespace
}  // namespace bloomery
