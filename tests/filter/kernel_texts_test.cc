// SPDX-License-Identifier: Apache-2.0
// Every kernel takes batches of texts and of integers to the bits and answers that their hash and
// the scalar kernel define, by whatever hash the kernel computes in its own loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "bloomery/filter/blocked_layout.h"
#include "bloomery/filter/kernels/blocked_kernel.h"
#include "bloomery/hash/aes_hash.h"

namespace bloomery {
namespace {

constexpr std::size_t kMostKeys = 300;

// Taken in turn: what kernels have loops for, at both ends, and all that they meet between them.
const std::vector<std::size_t> kLengths[] = {
    {36},
    {8},
    {16, 96, 48, 49, 64, 65},
    {0, 7, 9, 15, 16, 17, 47, 48, 64, 65, 96, 97, 200, 3, 8, 1},
    {16, 30, 36, 90, 17, 60, 48, 96},
    {97, 36, 40, 41, 36, 36, 36, 16, 15, 36, 40, 41, 36, 90, 36, 36},
};

// Around the loops' blocks of 8 and lags of 16, 40 and 120.
constexpr std::size_t kBatches[] = {0,  1,  7,  8,  9,  16,  17,  31,  39,  40,
                                    41, 47, 48, 49, 64, 119, 120, 121, 136, kMostKeys};

HashPair defined(const NativeHash& hash, Key key) {
  return hash.id() == HashId::aes ? aes_ways().back()->one(key, hash.spread_seed()) : hash(key);
}
HashPair defined(const NativeHash& hash, std::uint64_t integer) {
  return defined(hash, Key(reinterpret_cast<const char*>(&integer), sizeof integer));
}

struct Case {
  const BlockedKernel* kernel;
  HashId hash;
  std::uint32_t probes;
  bool far;

  std::string name() const {
    return std::string(kernel->name) + ", " + std::string(hash_name(hash)) + ", " +
           std::to_string(probes) + " probes, " + (far ? "far" : "near");
  }
};

std::vector<Case> cases() {
  std::vector<Case> cases;
  for (const BlockedKernel* kernel : blocked_kernels()) {
    for (const HashId hash : {HashId::native, HashId::product, HashId::aes, HashId::fold}) {
      for (const std::uint32_t probes : {8U, 5U}) {
        for (const bool far : {false, true}) cases.push_back({kernel, hash, probes, far});
      }
    }
  }
  return cases;
}

template <class K>
void expect_what_is_defined(const Case& of, std::span<const K> keys) {
  const std::uint64_t lines = of.far ? kFarBytes / kLineBytes : 19;
  FilterParameters parameters;
  parameters.kind = FilterKind::blocked;
  parameters.geometry = {lines * kLineBits, of.probes, 1};
  parameters.hash = NativeHash(of.hash, 7);
  const BlockedLayout layout(parameters, *of.kernel);
  const BlockedLayout scalar(parameters, *blocked_kernels().back());
  std::vector<std::uint64_t> words(lines * kLaneCount);
  std::vector<std::uint64_t> expected(words.size());
  const auto answers = std::make_unique<bool[]>(kMostKeys);
  for (const std::size_t size : kBatches) {
    std::ranges::fill(words, 0);
    std::ranges::fill(expected, 0);
    // The first half is inserted without answers, then all of them with.
    const auto half = keys.first(size / 2);
    const auto all = keys.first(size);
    std::size_t added = 0;
    for (const K& key : half) {
      added += scalar.insert(expected, defined(parameters.hash, key)) ? 1 : 0;
    }
    ASSERT_EQ(layout.insert_batch(words, half, nullptr), added) << of.name() << ", " << size;
    layout.may_contain_batch(words, all, answers.get());
    for (std::size_t i = 0; i < size; ++i) {
      ASSERT_EQ(answers[i], scalar.may_contain(expected, defined(parameters.hash, keys[i])))
          << of.name() << ", " << i << " of " << size;
    }
    layout.insert_batch(words, all, answers.get());
    for (std::size_t i = 0; i < size; ++i) {
      ASSERT_EQ(answers[i], scalar.insert(expected, defined(parameters.hash, keys[i])))
          << of.name() << ", " << i << " of " << size;
    }
    ASSERT_EQ(words, expected) << of.name() << ", " << size;
  }
}

TEST(KernelTexts, AreWhatTheirHashDefines) {
  std::mt19937_64 random(3);
  for (const auto& lengths : kLengths) {
    // Each text in memory of its own, so that nothing beside it is read.
    std::vector<std::vector<char>> texts;
    std::vector<Key> keys;
    for (std::size_t i = 0; i < kMostKeys; ++i) {
      auto& text = texts.emplace_back(lengths[i % lengths.size()]);
      for (char& byte : text) byte = static_cast<char>(random());
      keys.emplace_back(text.data(), text.size());
    }
    for (const Case& of : cases()) {
      ASSERT_NO_FATAL_FAILURE(expect_what_is_defined(of, std::span<const Key>(keys)));
    }
  }
}

TEST(KernelTexts, AndSoAreIntegers) {
  std::mt19937_64 random(4);
  std::vector<std::uint64_t> keys(kMostKeys);
  for (std::uint64_t& key : keys) key = random();
  for (const Case& of : cases()) {
    ASSERT_NO_FATAL_FAILURE(expect_what_is_defined(of, std::span<const std::uint64_t>(keys)));
  }
}

}  // namespace
}  // namespace bloomery
