// SPDX-License-Identifier: Apache-2.0
// The promises of a filter, for every kind. A new kind adds itself to FilterKinds.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/filter/blocked_filter.h"
#include "bloomery/filter/classic_filter.h"
#include "bloomery/filter/counting_filter.h"
#include "bloomery/filter/filter_kinds.h"
#include "bloomery/filter/owned_static_filter.h"
#include "bloomery/filter/scalable_filter.h"
#include "bloomery/filter/windowed_filter.h"
#include "tests/support/binomial.h"
#include "tests/support/keys.h"
#include "tests/support/stored_words.h"

namespace bloomery {
namespace {

using testing::binomial_upper;
using testing::key_patterns;
using testing::KeyPattern;
using testing::keys_of;
using testing::stored_words;
using testing::texts;

// A windowed filter here has the last `capacity` keys for its window.
template <class F>
constexpr bool kForgets = std::same_as<F, WindowedFilter>;

// Gives the filter a clock that stands still, so that it forgets nothing and all keys go where the
// first went.
FilterOptions never_forgetting(FilterOptions options) {
  options.window = {.length_ms = 1'000, .clock = [] { return 1'700'000'000'000; }};
  return options;
}

template <class F>
std::size_t count_positives(const F& filter, const std::vector<Key>& keys) {
  // In one batch, which is quicker; single calls say the same.
  const auto found = std::make_unique<bool[]>(keys.size());
  filter.may_contain_many(keys, std::span(found.get(), keys.size()));
  for (std::size_t i = 0; i < std::min<std::size_t>(keys.size(), 2'000); ++i) {
    EXPECT_EQ(filter.may_contain(keys[i]), found[i]) << i;
  }
  return static_cast<std::size_t>(std::count(found.get(), found.get() + keys.size(), true));
}

template <class F>
class FilterContract : public ::testing::Test {};

using FilterKinds = ::testing::Types<BlockedFilter, ClassicFilter, CountingFilter,
                                     ClassicCountingFilter, ScalableFilter, WindowedFilter>;

struct OwnedFuseFilter : OwnedStaticFilter {};

// Filters of every kind, also of kinds that are built once.
using AskedKinds =
    ::testing::Types<BlockedFilter, ClassicFilter, CountingFilter, ClassicCountingFilter,
                     ScalableFilter, WindowedFilter, OwnedStaticFilter, OwnedFuseFilter>;

template <class F>
F filled(const FilterOptions& options, const std::vector<Key>& keys) {
  if constexpr (std::derived_from<F, OwnedStaticFilter>) {
    constexpr bool kIsFuse = std::same_as<F, OwnedFuseFilter>;
    const auto parameters =
        parameters_for(kIsFuse ? FilterKind::fuse : FilterKind::fixed, {}, options);
    std::vector<HashPair> hashes;
    for (const Key key : keys) hashes.push_back(parameters.hash(key));
    return F{OwnedStaticFilter::build(parameters, hashes)};
  } else {
    F filter(options);
    filter.insert_many(keys);
    return filter;
  }
}

struct NamesOfKinds {
  template <class F>
  static std::string GetName(int) {
    std::string name(kind_name(filled<F>({.capacity = 1}, {}).parameters().kind));
    std::ranges::replace(name, '-', '_');
    return name;
  }
};

template <class F>
class AskedContract : public ::testing::Test {};
TYPED_TEST_SUITE(AskedContract, AskedKinds, NamesOfKinds);
TYPED_TEST_SUITE(FilterContract, FilterKinds, NamesOfKinds);

// A batch with too little room for its answers asks and inserts nothing, and writes nothing behind
// the room.
TYPED_TEST(AskedContract, RefusesTooLittleRoomForAnswers) {
  const auto names = texts(300, "key ");
  const std::vector<Key> keys = keys_of(names);
  std::vector<std::uint64_t> integers(300);
  std::iota(integers.begin(), integers.end(), 1);
  auto filter = filled<TypeParam>({.capacity = 1'000}, {});
  std::array<bool, 600> flags;
  std::array<std::uint64_t, 10> bits;
  flags.fill(true);
  bits.fill(~std::uint64_t{0});
  for (const std::size_t room : {0U, 8U, 299U}) {
    const std::span some(flags.data(), room);
    EXPECT_THROW(filter.may_contain_many(keys, some), std::invalid_argument);
    EXPECT_THROW(filter.may_contain_many(integers, some), std::invalid_argument);
    if constexpr (requires { filter.may_contain_many(names, some); }) {
      EXPECT_THROW(filter.may_contain_many(names, some), std::invalid_argument);
    }
    const std::span words(bits.data(), room / 64);
    EXPECT_THROW(filter.may_contain_many(keys, words), std::invalid_argument);
    if constexpr (requires { filter.insert_many(keys, some); }) {
      EXPECT_THROW(filter.insert_many(keys, some), std::invalid_argument);
      EXPECT_THROW(filter.insert_many(names, some), std::invalid_argument);
      EXPECT_THROW(filter.insert_many(integers, words), std::invalid_argument);
      EXPECT_EQ(filter.inserted(), 0U);
    }
  }
  EXPECT_TRUE(std::ranges::count(flags, true) == 600);
  EXPECT_TRUE(std::ranges::count(bits, ~std::uint64_t{0}) == 10);
  filter.may_contain_many(keys, std::span(flags.data(), 300));
  filter.may_contain_many(keys, std::span(bits.data(), 5));  // 300 bits
  EXPECT_TRUE(std::all_of(flags.begin() + 300, flags.end(), [](bool flag) { return flag; }));
}

// Positions of a filter, over all its layers or generations.
template <class F>
double position_count(const F& filter) {
  const FilterContents contents = filter.contents();
  const auto bits = static_cast<double>(filter.geometry().bit_count);
  if (kForgets<F>) return bits * (filter.parameters().window.generations + 1);
  if (contents.layers.empty()) return bits;
  double count = 0;
  for (const Layer& layer : contents.layers) count += static_cast<double>(layer.geometry.bit_count);
  return count;
}

TYPED_TEST(AskedContract, FindsWhateverWasInserted) {
  for (const double rate : {0.5, 0.1, 0.01, 0.001, 0.0001, 1e-9}) {
    const auto members = texts(5'000, "member:");
    const auto filter =
        filled<TypeParam>({.capacity = 5'000, .false_positive_rate = rate}, keys_of(members));
    for (const auto& member : members) ASSERT_TRUE(filter.may_contain(Key(member))) << rate;
  }
}

TYPED_TEST(AskedContract, KeepsItsRateAtCapacity) {
  const auto strangers = texts(200'000, "stranger:");
  const auto asked = keys_of(strangers);
  for (const double rate : {0.5, 0.1, 0.01, 0.001}) {
    for (const std::size_t capacity : {1U, 10U, 1'000U, 50'000U}) {
      const auto members = texts(capacity, "member:");
      const auto filter =
          filled<TypeParam>({.capacity = capacity, .false_positive_rate = rate}, keys_of(members));
      // The rate of these bits is within five percent of the asked one; the sample adds its own
      // luck.
      EXPECT_LE(count_positives(filter, asked),
                binomial_upper(static_cast<double>(asked.size()), 1.05 * rate))
          << capacity << " keys at " << rate;
    }
  }
}

TYPED_TEST(AskedContract, KeepsItsRateForStructuredKeys) {
  constexpr std::uint64_t kMembers = 20'000;
  constexpr std::uint64_t kStrangers = 100'000;
  for (const KeyPattern& pattern : key_patterns()) {
    std::vector<std::string> texts(kMembers + kStrangers);
    for (std::uint64_t i = 0; i < texts.size(); ++i) texts[i] = pattern.make(i);
    const auto keys = keys_of(texts);
    const std::vector<Key> members(keys.begin(), keys.begin() + kMembers);
    const std::vector<Key> strangers(keys.begin() + kMembers, keys.end());
    for (const double rate : {0.01, 0.0005}) {
      const auto filter =
          filled<TypeParam>({.capacity = kMembers, .false_positive_rate = rate}, members);
      const std::size_t positives = count_positives(filter, strangers);
      EXPECT_LE(static_cast<double>(positives), binomial_upper(kStrangers, 1.05 * rate))
          << pattern.name << " at " << rate;
    }
  }
}

// Twenty filters at once, because one of ten keys has its own luck; low rates show a floor that
// probes in lock step would leave.
TYPED_TEST(AskedContract, TinyFiltersKeepLowRates) {
  const auto key_of = [](const std::uint64_t& integer) {
    return Key(reinterpret_cast<const char*>(&integer), sizeof integer);
  };
  for (const std::size_t capacity : {1U, 2U, 10U, 100U}) {
    std::vector<std::uint64_t> integers(capacity);
    std::iota(integers.begin(), integers.end(), 0);
    std::vector<Key> members;
    for (const std::uint64_t& integer : integers) members.push_back(key_of(integer));
    for (const double rate : {1e-3, 1e-4, 1e-5}) {
      std::size_t positives = 0;
      const std::uint64_t trials = 20'000;
      for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const auto filter = filled<TypeParam>(
            {.capacity = capacity, .false_positive_rate = rate, .seed = seed}, members);
        for (std::uint64_t i = 1'000; i < 1'000 + trials; ++i) {
          positives += filter.may_contain(key_of(i)) ? 1 : 0;
        }
      }
      EXPECT_LE(static_cast<double>(positives), binomial_upper(20.0 * trials, 1.05 * rate))
          << capacity << " keys at " << rate;
    }
  }
}

// Keys need not be text, and a key may come twice.
TYPED_TEST(AskedContract, TakesAnyBytes) {
  const std::vector<Key> members{Key(""), Key("\0", 1), Key("\0\0", 2), Key("\xff\xfe"), Key("")};
  const auto filter = filled<TypeParam>({.capacity = 10, .false_positive_rate = 1e-6}, members);
  for (const Key key : members) EXPECT_TRUE(filter.may_contain(key));
  EXPECT_FALSE(filter.may_contain(Key("\0\0\0", 3)));
  EXPECT_FALSE(filled<TypeParam>({.capacity = 10}, {}).may_contain(Key("")));
}

TYPED_TEST(AskedContract, ABatchIsAnsweredAsSingleKeysAre) {
  const auto members = texts(3'000, "member:");
  const auto filter = filled<TypeParam>({.capacity = 3'000}, keys_of(members));
  for (const std::size_t count : {0U, 1U, 63U, 64U, 65U, 128U, 3'000U}) {
    const auto strangers = texts(count, "stranger:");
    std::vector<Key> asked = keys_of(strangers);
    if (count > 2) asked[count / 2] = members[7];
    std::vector<char> found(count + 1, 2);
    filter.may_contain_many(asked, {reinterpret_cast<bool*>(found.data()), count});
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(found[i] != 0, filter.may_contain(asked[i]));
    EXPECT_EQ(found[count], 2) << "an answer too many";
  }
}

// A reference beside the filter: whatever mix of calls, it answers as plain arrays of its keys'
// positions do, one a layer, and new keys go to the newest.
TYPED_TEST(FilterContract, AgreesWithAPlainArrayOfItsPositions) {
  std::mt19937_64 random(11);
  for (const double rate : {0.3, 0.02, 0.0001}) {
    TypeParam filter(never_forgetting({.capacity = 200, .false_positive_rate = rate, .seed = 77}));
    std::map<std::uint32_t, std::set<std::uint64_t>> model;
    std::uint64_t inserted = 0;
    for (int step = 0; step < 3'000; ++step) {
      const std::string key(random() % 20, static_cast<char>(random() % 256));
      const HashPair hash = filter.hash(Key(key));
      std::set<std::uint32_t> lacking;
      std::size_t layers = 0;
      for (const Probe& probe : filter.probes(hash)) {
        layers = std::max<std::size_t>(layers, probe.layer + 1);
        if (!model[probe.layer].contains(probe.position)) lacking.insert(probe.layer);
      }
      const bool present = lacking.size() < layers;
      ASSERT_EQ(filter.may_contain(Key(key)), present);
      if (random() % 4 == 0) {
        ASSERT_EQ(step % 2 == 0 ? filter.insert(Key(key)) : filter.insert_concurrently(Key(key)),
                  !present);
        inserted += present ? 0 : 1;
        const auto probes = filter.probes(hash);
        const std::uint32_t newest = kForgets<TypeParam> ? 0 : probes.back().layer;
        for (const Probe& probe : probes) {
          if (!present && probe.layer == newest) {
            model[probe.layer].insert(probe.position);
          }
        }
      }
    }
    EXPECT_EQ(filter.inserted(), inserted);
    double ones = 0;
    for (const auto& [layer, positions] : model) ones += static_cast<double>(positions.size());
    EXPECT_DOUBLE_EQ(filter.fill_ratio(), ones / position_count(filter));
  }
}

// Bits are addressed past 2^32; untouched pages of the array cost nothing.
TYPED_TEST(FilterContract, ReachesBeyondFourGibibits) {
  TypeParam filter(
      {.capacity = 600'000'000, .false_positive_rate = 0.01, .window = {.generations = 1}});
  ASSERT_GT(filter.geometry().bit_count, std::uint64_t{1} << 32);
  std::uint64_t highest = 0;
  for (std::uint64_t key = 0; key < 50; ++key) {
    filter.insert(key);
    for (const Probe& probe : filter.probes(filter.hash(key))) {
      highest = std::max(highest, probe.position);
      EXPECT_EQ(probe.set, probe.layer == 0);
    }
  }
  EXPECT_GT(highest, std::uint64_t{1} << 32);
  EXPECT_FALSE(filter.may_contain(std::uint64_t{1'000}));
}

TYPED_TEST(FilterContract, ABatchAnswersAsSingleCallsDo) {
  const auto members = texts(3'000, "member:");
  TypeParam single({.capacity = 3'000, .false_positive_rate = 0.02});
  TypeParam batch({.capacity = 3'000, .false_positive_rate = 0.02});
  std::vector<Key> twice = keys_of(members);
  twice.insert(twice.end(), twice.begin(), twice.begin() + 100);
  std::vector<char> was_new(twice.size());
  const std::size_t added =
      batch.insert_many(twice, {reinterpret_cast<bool*>(was_new.data()), was_new.size()});
  std::size_t added_singly = 0;
  for (std::size_t i = 0; i < twice.size(); ++i) {
    const bool is_new = single.insert(twice[i]);
    EXPECT_EQ(is_new, was_new[i] != 0);
    added_singly += is_new ? 1 : 0;
  }
  EXPECT_EQ(added, added_singly);
  EXPECT_EQ(batch.inserted(), added);
  EXPECT_TRUE(stored_words(single) == stored_words(batch));
}

TYPED_TEST(FilterContract, AnIntegerIsItsEightBytes) {
  TypeParam integers({.capacity = 1'000, .false_positive_rate = 0.01});
  TypeParam bytes({.capacity = 1'000, .false_positive_rate = 0.01});
  std::vector<std::uint64_t> keys(1'000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i << 30;
  integers.insert_many(std::span<const std::uint64_t>(keys));
  for (const std::uint64_t& key : keys) {
    bytes.insert(Key(reinterpret_cast<const char*>(&key), sizeof key));
  }
  EXPECT_TRUE(stored_words(integers) == stored_words(bytes));
  for (const std::uint64_t key : keys) EXPECT_TRUE(bytes.may_contain(key));
}

TYPED_TEST(FilterContract, ThreadsLoseNoBit) {
  constexpr std::size_t kThreads = 8;
  const auto members = texts(40'000, "member:");
  // Twice as many as come: threads that insert one key together may count it twice.
  const auto options =
      never_forgetting({.capacity = 2 * members.size(), .false_positive_rate = 0.001});
  TypeParam shared(options);
  TypeParam alone(options);
  alone.insert_many(keys_of(members));
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (std::size_t i = t; i < members.size(); i += kThreads) {
          shared.insert_concurrently(Key(members[i]));
          EXPECT_TRUE(shared.may_contain(Key(members[i])));
        }
      });
    }
  }
  EXPECT_TRUE(stored_words(shared) == stored_words(alone));
}

TYPED_TEST(FilterContract, AMergeHoldsTheKeysOfBoth) {
  const auto options = never_forgetting({.capacity = 2'000, .false_positive_rate = 0.01});
  TypeParam a(options);
  TypeParam b(options);
  TypeParam both(options);
  const auto first = texts(1'000, "a:");
  const auto second = texts(1'000, "b:");
  a.insert_many(keys_of(first));
  b.insert_many(keys_of(second));
  both.insert_many(keys_of(first));
  both.insert_many(keys_of(second));
  a.merge(b);
  EXPECT_TRUE(stored_words(a) == stored_words(both));
  EXPECT_NEAR(static_cast<double>(a.inserted()), 2'000, 40);
}

TYPED_TEST(FilterContract, StrangersDoNotMerge) {
  const auto options = never_forgetting({.capacity = 2'000, .false_positive_rate = 0.01});
  TypeParam filter(options);
  filter.merge(TypeParam(options));
  for (const FilterOptions& other :
       {FilterOptions{.capacity = 4'000, .false_positive_rate = 0.01},
        FilterOptions{.capacity = 2'000, .false_positive_rate = 0.0001},
        FilterOptions{.capacity = 2'000, .seed = 1},
        FilterOptions{.capacity = 2'000, .secret = true}}) {
    EXPECT_THROW(filter.merge(TypeParam(never_forgetting(other))), IncompatibleError);
  }
}

TYPED_TEST(FilterContract, SeesHowFullItIs) {
  TypeParam filter({.capacity = 20'000, .false_positive_rate = 0.01});
  EXPECT_EQ(filter.cardinality(), 0);
  EXPECT_EQ(filter.fill_ratio(), 0);
  EXPECT_EQ(filter.predicted_rate(), 0);
  filter.insert_many(keys_of(texts(20'000, "member:")));
  // The estimate is coarser where all generations together nearly fill their bits.
  EXPECT_NEAR(filter.cardinality(), 20'000, kForgets<TypeParam> ? 500 : 200);
  if constexpr (kForgets<TypeParam>) GTEST_SKIP() << "more keys are not more: WindowedFilter.*";
  const double formula = predicted_rate(filter.geometry(), 20'000);
  EXPECT_LE(formula, 0.01);
  EXPECT_NEAR(filter.predicted_rate(), formula, 0.05 * formula);
  filter.insert_many(keys_of(texts(40'000, "more:")));
  if constexpr (std::same_as<TypeParam, ScalableFilter>) {
    EXPECT_LE(filter.predicted_rate(), 0.01);
  } else {
    EXPECT_GT(filter.predicted_rate(), 0.1);
  }
  const auto absent = texts(100'000, "stranger:");
  EXPECT_NEAR(static_cast<double>(count_positives(filter, keys_of(absent))) / 100'000,
              filter.predicted_rate(), 0.01);
  filter.clear();
  EXPECT_EQ(filter.inserted(), 0U);
  EXPECT_EQ(filter.fill_ratio(), 0);
}

TYPED_TEST(FilterContract, PositionsAreTheBitsOfAKey) {
  for (const double rate : {0.1, 0.01, 0.0001}) {
    TypeParam filter({.capacity = 1'000, .false_positive_rate = rate});
    const HashPair hash = filter.hash(Key("alice"));
    filter.insert_hash(hash);
    std::set<std::uint64_t> distinct;
    std::size_t in_newest = 0;
    for (const Probe& probe : filter.probes(hash)) {
      EXPECT_EQ(probe.set, probe.layer == 0);
      if (probe.layer != 0) continue;
      distinct.insert(probe.position);
      ++in_newest;
    }
    EXPECT_EQ(in_newest, filter.geometry().probe_count);
    EXPECT_DOUBLE_EQ(filter.fill_ratio() * position_count(filter),
                     static_cast<double>(distinct.size()))
        << rate;
  }
}

TYPED_TEST(FilterContract, TakesAnyBytes) {
  TypeParam filter({.capacity = 10, .false_positive_rate = 1e-6});
  for (const Key key : {Key(""), Key("\0", 1), Key("\0\0", 2), Key("\xff\xfe")}) {
    EXPECT_FALSE(filter.may_contain(key));
    EXPECT_TRUE(filter.insert(key));
    EXPECT_FALSE(filter.insert(key));
  }
}

TYPED_TEST(FilterContract, RefusesWhatItCannotKeep) {
  const double nan = std::nan("");
  for (const double rate : {0.0, -0.0, 1.0, 1.5, -1.0, nan, HUGE_VAL, 5e-324, 1e-300}) {
    EXPECT_THROW(TypeParam({.capacity = 10, .false_positive_rate = rate}), std::invalid_argument);
  }
  for (const std::uint64_t capacity :
       {std::uint64_t{0}, std::uint64_t{1} << 50, ~std::uint64_t{0}}) {
    EXPECT_THROW(TypeParam({.capacity = capacity}), std::invalid_argument);
  }
}

}  // namespace
}  // namespace bloomery
