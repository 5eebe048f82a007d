// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/static_filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/filter/batch_pipeline.h"
#include "bloomery/filter/kernels/blocked_kernel.h"
#include "bloomery/filter/sizing.h"
#include "tests/support/binomial.h"
#include "tests/support/keys.h"
#include "tests/support/walled_room.h"

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

// The expected rate is that of these very bits: only the luck of the sample is left.
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
    for (const std::size_t count : {20U, 1'000'000U}) {
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

// All kernels, asked for integers, texts and pairs.
void expect_batches_as_single_calls(const StaticFilter& filter,
                                    const std::vector<std::uint64_t>& keys) {
  std::vector<HashPair> pairs;
  std::vector<Key> views;
  for (const std::uint64_t& key : keys) {
    pairs.push_back(filter.hash(key));
    views.emplace_back(reinterpret_cast<const char*>(&key), sizeof key);
  }
  const auto found = std::make_unique<bool[]>(keys.size());
  for (const BlockedKernel* kernel : blocked_kernels()) {
    for (const KeyBatch& batch : {KeyBatch(keys), KeyBatch(views), KeyBatch(pairs)}) {
      filter.may_contain_many(batch, {found.get(), keys.size()}, *kernel);
      for (std::size_t i = 0; i < keys.size(); ++i) {
        ASSERT_EQ(found[i], filter.may_contain_hash(pairs[i])) << kernel->name << ", key " << i;
      }
    }
  }
}

// In a core's cache and beyond, at any address. Of another attempt it is another set, of which the
// questions are the same.
TEST(StaticFilter, EveryKernelAnswersABatchAsSingleCallsDo) {
  struct Case {
    std::size_t count;
    StaticOptions options;
  };
  const StaticOptions bits{.form = StaticForm::bloom};
  const StaticOptions coarse{.false_positive_rate = 0.3, .form = StaticForm::bloom};
  const StaticOptions strict{.false_positive_rate = 0.0001, .form = StaticForm::bloom};
  const StaticOptions fuse{.form = StaticForm::fuse};
  const StaticOptions widest{.false_positive_rate = 0x1p-32, .form = StaticForm::fuse};
  const StaticOptions lines{.one_line = true};
  for (const auto& [count, options] : std::vector<Case>{{1, bits},
                                                        {900, coarse},
                                                        {5'000, strict},
                                                        {900'000, bits},
                                                        {1, fuse},
                                                        {2, fuse},
                                                        {5'000, fuse},
                                                        {5'000, widest},
                                                        {1'200'000, fuse},
                                                        {5'000, lines},
                                                        {900'000, lines}}) {
    SCOPED_TRACE(std::to_string(count) + " keys at " + std::to_string(options.false_positive_rate));
    const auto members = random_keys(count, 3);
    const auto bytes = build_static_filter(members, options);
    auto asked = random_keys(997, 4);
    asked.insert(asked.begin() + 100, members.begin(),
                 members.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(count, 900)));
    std::vector<std::byte> room(bytes.size() + 1);
    for (const std::size_t shift : {0U, 1U}) {
      const auto moved = std::span(room).subspan(shift, bytes.size());
      std::ranges::copy(bytes, moved.begin());
      expect_batches_as_single_calls(StaticFilter(moved), asked);
      for (const int attempt : {0, 1, 15}) {
        moved[bytes.size() - 5] = static_cast<std::byte>(attempt);
        expect_batches_as_single_calls(StaticFilter(moved), asked);
      }
    }
  }
}

// Bytes that were damaged, or were made to do harm, where memory begins and where it ends.
TEST(StaticFilter, NoKernelReadsOutsideItsBytes) {
  const auto asked = random_keys(203, 5);
  std::mt19937_64 random(6);
  testing::WalledRoom room(kFarBytes + 4'096);
  const auto ask = [&](std::size_t bit_bytes, const std::array<int, 4>& trailer, bool is_full) {
    for (const auto bytes : {room.first(bit_bytes + 8), room.last(bit_bytes + 8)}) {
      for (std::byte& byte : bytes) byte = static_cast<std::byte>(is_full ? 0xff : random());
      for (std::size_t i = 0; i < trailer.size(); ++i) {
        bytes[bit_bytes + i] = static_cast<std::byte>(trailer[i]);
      }
      SCOPED_TRACE(std::to_string(bit_bytes) + " bytes " + ::testing::PrintToString(trailer));
      expect_batches_as_single_calls(StaticFilter(bytes), asked);
    }
  };
  for (const std::size_t bit_bytes : {1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 4'089, 1 << 20}) {
    for (const int probes : {1, 5, 255}) ask(bit_bytes, {0xb1, probes, 0, 1}, probes == 255);
    if (bit_bytes % 64 == 0) ask(bit_bytes, {0xb1, 8, 1, 1}, false);
  }
  for (const int bits : {1, 2, 7, 8, 31, 32}) {
    for (const int log : {6, 7, 13}) {
      for (const std::size_t segments : {3U, 4U}) {
        const std::size_t least = segments * static_cast<std::size_t>(bits) << log >> 3;
        for (std::size_t more = 0; more < 8; ++more) ask(least + more, {0xb2, bits, log, 0}, false);
      }
    }
  }
}

// Positions and slots of 33 bits, which no vector of 32-bit products makes.
TEST(StaticFilter, EveryKernelCountsPlacesBeyond32Bits) {
  constexpr std::size_t kBitBytes = (std::size_t{1} << 29) + 64;
  const auto asked = random_keys(100, 5);
  for (const std::array<int, 4>& trailer : {std::array{0xb1, 7, 0, 0}, std::array{0xb2, 1, 6, 0}}) {
    testing::WalledRoom room(kBitBytes + 8);
    const auto bytes = room.last(kBitBytes + 8);
    for (std::size_t i = 0; i < trailer.size(); ++i) {
      bytes[kBitBytes + i] = static_cast<std::byte>(trailer[i]);
    }
    const StaticFilter filter(bytes);
    for (std::size_t i = 0; i < asked.size(); i += 2) {
      const auto probes = filter.probes(filter.hash(asked[i]));
      for (const Probe& probe : probes) {
        bytes[probe.position / 8] |= static_cast<std::byte>(1U << probe.position % 8);
      }
    }
    expect_batches_as_single_calls(filter, asked);
  }
}

// The format has these bytes since its first version: they never change.
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
