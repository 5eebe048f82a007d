// What every kind promises of hash pairs, our own kinds and other systems': a key is found by its
// pair, however long the pair was kept, or else pairs are refused.
#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

#include "bloomery/filter/classic_filter.h"
#include "bloomery/format/foreign_kinds.h"
#include "bloomery/format/format.h"
#include "bloomery/format/gozero.h"
#include "tests/store/sample_filters.h"
#include "tests/support/keys.h"
#include "tests/support/small_settings.h"

namespace bloomery {
namespace {

using testing::keys_of;
using testing::texts;

using Gozero = BasicFilter<ClassicLayout<GozeroProbes>, HeapWords>;

template <class F>
concept Hashes = requires(const F& filter, Key key) {
  filter.hash(key);
};
template <class F>
concept HashesIntegers = requires(const F& filter, std::uint64_t key) {
  filter.hash(key);
};
template <class F>
concept AsksByPair = requires(const F& filter, HashPair pair) {
  filter.may_contain_hash(pair);
};
template <class F>
concept InsertsByPair = requires(F& filter, HashPair pair) {
  filter.insert_hash(pair);
};
template <class F>
concept ShowsByPair = requires(const F& filter, HashPair pair) {
  filter.probes(pair);
};
template <class F>
concept AsksPairs = requires(const F& filter, std::span<const HashPair> pairs,
                             std::span<bool> found) {
  filter.may_contain_many(pairs, found);
};

static_assert(Hashes<ClassicFilter> && HashesIntegers<ClassicFilter> && AsksByPair<ClassicFilter> &&
              InsertsByPair<ClassicFilter> && ShowsByPair<ClassicFilter> &&
              AsksPairs<ClassicFilter>);
static_assert(!Hashes<Gozero> && !HashesIntegers<Gozero> && !AsksByPair<Gozero> &&
              !InsertsByPair<Gozero> && !ShowsByPair<Gozero> && !AsksPairs<Gozero>);

constexpr std::size_t kCount = 300;

// An empty filter of each kind, but of those built once one that has the members.
std::map<FilterKind, AnyFilter> every_kind() {
  std::map<FilterKind, AnyFilter> all;
  for (const KindName& kind : filter_kinds()) {
    FilterOptions options{.capacity = kCount, .seed = 77};
    options.window = {.length_ms = 1'000, .clock = [] { return 1'700'000'000'000; }};
    all.emplace(kind.kind,
                testing::sample(kind.kind, options, is_built_once(kind.kind) ? kCount : 1));
  }
  const FormatSettings variants[] = {
      {}, {{"strategy", "mitz_32"}}, {{"legacy", "1"}}, {{"generation", "1.1"}}};
  for (const Format* const format : formats()) {
    if (format->create == nullptr) continue;
    for (FormatSettings settings : variants) {
      settings.merge(testing::small_settings(*format));
      try {
        AnyFilter filter = format->create({.capacity = kCount}, settings);
        const FilterKind kind = filter.parameters().kind;
        all.emplace(kind, std::move(filter));
      } catch (const std::invalid_argument&) {
        // A setting that this format does not have.
      }
    }
  }
  return all;
}

std::vector<FilterKind> numbers_that_are_kinds() {
  std::vector<FilterKind> all;
  for (int number = 0; number < 256; ++number) {
    const auto kind = static_cast<FilterKind>(number);
    try {
      any_kind_name(kind);
      all.push_back(kind);
    } catch (const std::exception&) {
      // No kind has it.
    }
  }
  return all;
}

// Of keys whose bytes are gone when the pairs are used.
std::vector<HashPair> kept_pairs(const AnyFilter& filter) {
  auto members = testing::sample_members(kCount);
  std::vector<HashPair> pairs;
  for (std::string& member : members) {
    pairs.push_back(filter.hash(Key(member)));
    member.assign(member.size(), '#');
  }
  return pairs;
}

void expect_found_by_pair(AnyFilter& filter) {
  const auto pairs = kept_pairs(filter);
  const auto members = testing::sample_members(kCount);
  if (filter.can_insert()) filter.insert_many(keys_of(members));
  std::array<bool, kCount> found{};
  filter.may_contain_many(pairs, found);
  EXPECT_EQ(std::ranges::count(found, true), kCount);
  for (std::size_t i = 0; i < kCount; i += 50) {
    EXPECT_EQ(filter.hash(Key(members[i])), pairs[i]);
    const auto by_pair = filter.probes(pairs[i]);
    const auto by_key = filter.probes(Key(members[i]));
    ASSERT_EQ(by_pair.size(), by_key.size());
    for (std::size_t j = 0; j < by_key.size(); ++j) {
      EXPECT_EQ(by_pair[j].position, by_key[j].position);
      EXPECT_EQ(by_pair[j].set, by_key[j].set);
    }
  }
  if (!filter.can_insert()) return;
  filter.clear();
  filter.insert_many(pairs);
  found = {};
  filter.may_contain_many(keys_of(members), found);
  EXPECT_EQ(std::ranges::count(found, true), kCount);
}

void expect_refuses_pairs(AnyFilter& filter) {
  const auto members = testing::sample_members(kCount);
  filter.insert_many(keys_of(members));
  const std::uint64_t inserted = filter.inserted();
  const std::vector<HashPair> pairs(kCount);
  std::array<bool, kCount> found{};
  EXPECT_THROW(filter.hash(Key(members[0])), std::invalid_argument);
  EXPECT_THROW(filter.probes(pairs[0]), std::invalid_argument);
  EXPECT_THROW(filter.may_contain_many(pairs, found), std::invalid_argument);
  EXPECT_THROW(filter.insert_many(pairs), std::invalid_argument);
  EXPECT_THROW(filter.insert_many(pairs, found), std::invalid_argument);
  InsertProgress progress;
  EXPECT_THROW(filter.insert_while_room(pairs, nullptr, progress), std::invalid_argument);
  EXPECT_EQ(filter.inserted(), inserted);
  for (const std::string& member : members) {
    ASSERT_TRUE(filter.may_contain(Key(member)));
    for (const Probe& probe : filter.probes(Key(member))) ASSERT_TRUE(probe.set);
  }
}

TEST(EveryKind, FindsAKeyByItsKeptPairOrRefusesPairs) {
  auto all = every_kind();
  for (const FilterKind kind : numbers_that_are_kinds()) {
    SCOPED_TRACE(any_kind_name(kind));
    const auto found = all.find(kind);
    ASSERT_NE(found, all.end()) << "make one above";
    if (found->second.hashes_once()) {
      expect_found_by_pair(found->second);
    } else {
      expect_refuses_pairs(found->second);
    }
  }
}

// Integers are keys whose bytes are nowhere but in the call.
TEST(EveryKind, TakesIntegersOneByOneAsInABatch) {
  Gozero filter(FilterParameters{.kind = FilterKind::gozero,
                                 .geometry = {.bit_count = 6'400, .probe_count = 14},
                                 .capacity = kCount,
                                 .false_positive_rate = 0.01},
                HeapWords(100), 0);
  std::vector<std::uint64_t> integers(kCount);
  for (std::size_t i = 0; i < kCount; ++i) integers[i] = i * 0x9e3779b97f4a7c15;
  for (std::size_t i = 0; i < kCount; i += 2) EXPECT_TRUE(filter.insert(integers[i]));
  std::array<bool, kCount> found{};
  filter.may_contain_many(integers, found);
  for (std::size_t i = 0; i < kCount; ++i) {
    EXPECT_EQ(found[i], filter.may_contain(integers[i]));
    EXPECT_EQ(found[i], filter.may_contain(Key(testing::bytes_of(integers[i])))) << i;
    if (i % 2 == 0) {
      EXPECT_TRUE(found[i]);
    }
  }
}

}  // namespace
}  // namespace bloomery
