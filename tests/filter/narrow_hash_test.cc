// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/narrow_hash.h"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "bloomery/bits/heap_words.h"
#include "bloomery/filter/basic_filter.h"
#include "bloomery/filter/classic_layout.h"
#include "bloomery/filter/rates.h"
#include "bloomery/hash/native_hash.h"
#include "tests/support/binomial.h"

namespace bloomery {
namespace {

// Schemes as narrow as those of other systems are, by fewer bits, so that few keys show it.
template <std::uint64_t hashes, std::uint64_t values>
struct SmallProbes {
  static constexpr FilterKind kKind = FilterKind::leveldb;
  static constexpr NarrowHash kNarrowHash{
      .hashes = hashes == 0 ? NarrowHash::kWide : static_cast<double>(hashes),
      .probe_values = values == 0 ? NarrowHash::kWide : static_cast<double>(values)};

  explicit SmallProbes(const FilterParameters&) noexcept {}
  static Geometry geometry(const FilterOptions&) { return {}; }
  static HashPair hash(Key key) noexcept {
    const HashPair pair = NativeHash()(key);
    return hashes == 0 ? pair : HashPair{pair.h1 % hashes, 0};
  }
  static std::uint64_t position(HashPair hash, std::uint32_t i, std::uint64_t bit_count) noexcept {
    const std::uint64_t words[] = {hash.h1, hash.h2, i};
    const std::uint64_t probe =
        NativeHash()(Key(reinterpret_cast<const char*>(words), sizeof words)).h1;
    return (values == 0 ? probe : probe % values) % bit_count;
  }
};

template <class Probes>
void expect_the_rate(std::uint64_t keys, const Geometry& geometry) {
  SCOPED_TRACE(std::to_string(keys) + " keys, " + std::to_string(geometry.bit_count) + " bits");
  constexpr std::uint64_t kStrangers = 400'000;
  const FilterParameters parameters{.kind = Probes::kKind, .geometry = geometry, .capacity = keys};
  using L = ClassicLayout<Probes>;
  BasicFilter<L, HeapWords> filter(parameters, HeapWords(L::word_count(parameters)), 0);
  for (std::uint64_t i = 0; i < keys; ++i) filter.insert("member " + std::to_string(i));
  double found = 0;
  for (std::uint64_t i = 0; i < kStrangers; ++i) {
    found += filter.may_contain("stranger " + std::to_string(i)) ? 1 : 0;
  }
  // The rate of the keys and the rate of the bits as they are differ only by the luck of these
  // keys.
  const double of_keys = L::rate(parameters, static_cast<double>(keys));
  const double of_bits = filter.predicted_rate();
  EXPECT_NEAR(of_bits / of_keys, 1, 0.04);
  EXPECT_LE(found, testing::binomial_upper(kStrangers, of_bits));
  EXPECT_LE(kStrangers - found, testing::binomial_upper(kStrangers, 1 - of_bits));
  EXPECT_NEAR(filter.cardinality() / static_cast<double>(keys), 1, 0.03);
}

constexpr std::uint64_t k2To20 = 1 << 20;

TEST(NarrowHash, CountsKeysOfTheSameHash) {
  using Probes = SmallProbes<k2To20, 0>;
  expect_the_rate<Probes>(10'000, {.bit_count = 200'000, .probe_count = 14});
  expect_the_rate<Probes>(100'000, {.bit_count = 1'600'000, .probe_count = 8});
  expect_the_rate<Probes>(500'000, {.bit_count = 10'000'000, .probe_count = 10});
}

TEST(NarrowHash, CountsWhatItsProbesReach) {
  using Probes = SmallProbes<0, k2To20>;
  for (const std::uint64_t bits :
       {k2To20 / 2, k2To20 * 5 / 8, k2To20 * 7 / 8, k2To20, k2To20 * 9 / 8, k2To20 * 4}) {
    expect_the_rate<Probes>(100'000, {.bit_count = bits, .probe_count = 5});
  }
}

TEST(NarrowHash, CountsBoth) {
  using Probes = SmallProbes<k2To20, k2To20>;
  expect_the_rate<Probes>(100'000, {.bit_count = 700'000, .probe_count = 5});
  expect_the_rate<Probes>(200'000, {.bit_count = 2 * k2To20, .probe_count = 3});
}

TEST(NarrowHash, SaysNothingElseWhereItIsWide) {
  const Geometry geometry{.bit_count = 100'003, .probe_count = 7};
  for (const double keys : {0.0, 1.0, 10'000.0, 1e9}) {
    const double usual = predicted_rate(geometry, keys);
    EXPECT_NEAR(predicted_rate(geometry, NarrowHash{}, keys), usual, 1e-12 * usual);
  }
}

TEST(NarrowHash, HasNoRateAboveOne) {
  const NarrowHash hash{.hashes = 256, .probe_values = 256};
  const Geometry geometry{.bit_count = 1024, .probe_count = 3};
  EXPECT_EQ(predicted_rate(geometry, hash, 0), 0);
  EXPECT_NEAR(predicted_rate(geometry, hash, 1e9), 1, 1e-12);
  const std::vector<std::uint64_t> words(16, ~std::uint64_t{0});
  const FillState full = fill_state(geometry, hash, std::span<const std::uint64_t>(words));
  EXPECT_EQ(full.fill_ratio, 1);
  EXPECT_NEAR(full.predicted_rate, 1, 1e-12);
  EXPECT_TRUE(std::isfinite(full.cardinality));
}

}  // namespace
}  // namespace bloomery
