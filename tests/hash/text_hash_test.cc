// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/hash/native_hash.h"
#include "tests/hash/byte_texts.h"

namespace bloomery {
namespace {

// Whatever hashes texts is as good as the others.
class TextHash : public ::testing::TestWithParam<HashId> {
 protected:
  static HashPair hash(const std::string& key) { return NativeHash(GetParam(), 0)(Key(key)); }
};

INSTANTIATE_TEST_SUITE_P(OfTexts, TextHash,
                         ::testing::Values(HashId::native, HashId::product, HashId::aes),
                         [](const auto& param) {
                           std::string name(hash_name(param.param));
                           std::erase(name, '-');
                           return name;
                         });

TEST_P(TextHash, EveryBitOfAKeyOfEveryLengthCounts) {
  for (std::size_t size = 1; size <= 150; ++size) {
    std::string key = testing::bytes_from(0, size);
    std::set<std::pair<std::uint64_t, std::uint64_t>> seen{{hash(key).h1, hash(key).h2}};
    for (std::size_t bit = 0; bit < 8 * size; ++bit) {
      key[bit / 8] = static_cast<char>(key[bit / 8] ^ (1 << (bit % 8)));
      seen.insert({hash(key).h1, hash(key).h2});
      key[bit / 8] = static_cast<char>(key[bit / 8] ^ (1 << (bit % 8)));
    }
    EXPECT_EQ(seen.size(), 1 + 8 * size) << size;
  }
}

// Words overlap in short keys, or zeros follow them, so keys of one character may differ by their
// length alone.
TEST_P(TextHash, TellsLengthsApart) {
  for (const char character : {'\0', 'a', '\xff'}) {
    std::set<std::uint64_t> seen;
    for (std::size_t size = 0; size <= 200; ++size)
      seen.insert(hash(std::string(size, character)).h1);
    EXPECT_EQ(seen.size(), 201U);
  }
}

// No bit of a hash leans to one side where texts differ in little: 65,536 keys of each family are
// six standard deviations from half at most, in any of 128 bits of eight families.
TEST_P(TextHash, SpreadsTextsThatDifferInLittle) {
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
      // The number stands in two places 16 bytes apart.
      [](std::uint64_t i) {
        std::string key(64, '\0');
        for (int b = 0; b < 2; ++b) key[5 + b] = key[21 + b] = static_cast<char>(i >> (8 * b));
        return key;
      },
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

// Keys that differ in the same places of two to four lanes of 16 bytes, which a hash that adds up
// lanes must not let cancel. (With two rounds of AES in place of three, ten pairs were equal.)
TEST_P(TextHash, TellsPlacesInLanesApart) {
  constexpr std::uint64_t kCount = 300'000;
  const auto in_lanes = [](std::string key, std::size_t at, std::uint64_t number) {
    for (std::size_t lane = 0; number != 0; ++lane, number /= 100) {
      key[16 * lane + at] = static_cast<char>(number % 100);
    }
    return key;
  };
  const auto in_diagonals = [](std::string key, std::size_t at, std::uint64_t number) {
    for (int i = 0; i < 4; ++i)
      key[i % 2 * 16 + i / 2 * 5 + at] = static_cast<char>(number >> 5 * i);
    return key;
  };
  for (const std::size_t at : {std::size_t{0}, std::size_t{3}, std::size_t{7}}) {
    std::vector<std::uint64_t> seen;
    for (std::uint64_t i = 0; i < kCount; ++i) {
      seen.push_back(hash(in_lanes(std::string(64, '\0'), at, i)).h1);
      seen.push_back(hash(in_diagonals(std::string(32, 'x'), at, i)).h1);
    }
    std::ranges::sort(seen);
    EXPECT_EQ(std::ranges::adjacent_find(seen), seen.end()) << at;
  }
}

}  // namespace
}  // namespace bloomery
