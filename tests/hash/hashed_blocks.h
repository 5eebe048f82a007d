// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bloomery/hash/hash_pair.h"
#include "bloomery/hash/key.h"
#include "tests/hash/byte_texts.h"
#include "tests/support/walled_room.h"

namespace bloomery::testing {

// Types of functions that hash a block of keys at once: texts by products and by AES.
using HashOne = HashPair(Key key, std::uint64_t spread);
using HashBlockOfKeys = void(const Key* keys, std::size_t count, std::uint64_t spread,
                             std::uint64_t* h1, std::uint64_t* h2);
inline constexpr std::size_t kBlockOfKeys = 8;

struct Pairs {
  alignas(64) std::uint64_t h1[kBlockOfKeys];
  alignas(64) std::uint64_t h2[kBlockOfKeys];
};

// Blocks of every count and of mixed lengths, with integers and keys of many blocks among them.
inline void expect_that_of_each_key(HashBlockOfKeys* block, HashOne* one) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < 2'000; ++i) texts.push_back(bytes_from(i, i * i * 31 % 90));
  for (const std::size_t size : {8, 48, 49, 64, 65, 96, 97, 255, 256, 257, 264, 320, 1000}) {
    texts[17 * size % texts.size()] = bytes_from(size, size);
    for (std::size_t i = 0; i < 2 * kBlockOfKeys; ++i) texts.push_back(bytes_from(size + i, size));
  }
  const std::vector<Key> keys(texts.begin(), texts.end());
  for (std::size_t at = 0; at + kBlockOfKeys <= keys.size(); ++at) {
    for (const std::size_t count : {at % kBlockOfKeys, kBlockOfKeys}) {
      Pairs pairs;
      block(keys.data() + at, count, 5, pairs.h1, pairs.h2);
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ((HashPair{pairs.h1[i], pairs.h2[i]}), one(keys[at + i], 5));
      }
    }
  }
}

// A page that nobody may read follows the keys, and one goes before them.
inline void expect_to_read_nothing_beside_a_key(HashBlockOfKeys* block, HashOne* one) {
  WalledRoom room(200);
  for (std::size_t size = 0; size <= 200; ++size) {
    const std::string text = bytes_from(size, size);
    for (const std::span<std::byte> place : {room.first(size), room.last(size)}) {
      char* const at = reinterpret_cast<char*>(place.data());
      text.copy(at, size);
      const std::vector<Key> keys(kBlockOfKeys, Key(at, size));
      Pairs pairs;
      block(keys.data(), kBlockOfKeys, 5, pairs.h1, pairs.h2);
      EXPECT_EQ((HashPair{pairs.h1[0], pairs.h2[0]}), one(text, 5)) << size;
      EXPECT_EQ(one(keys[0], 5), one(text, 5)) << size;
    }
  }
}

}  // namespace bloomery::testing
