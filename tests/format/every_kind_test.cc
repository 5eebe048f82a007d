// SPDX-License-Identifier: Apache-2.0
// What every kind promises of hash pairs, our own kinds and other systems': a key is found by its
// pair, however long the pair was kept, or else pairs are refused.
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "bloomery/errors.h"
#include "bloomery/filter/classic_filter.h"
#include "bloomery/filter/half_line.h"
#include "bloomery/format/gozero.h"
#include "bloomery/format/kinds.h"
#include "tests/store/sample_filters.h"
#include "tests/support/keys.h"

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

// An empty filter of the kind, or, of one that is built once, of the members.
AnyFilter filter_of(const Kind& kind) {
  FilterOptions options{.capacity = kCount, .seed = 77};
  options.window = {.length_ms = 1'000, .clock = [] { return 1'700'000'000'000; }};
  if (kind.built_once) return testing::sample(kind.number, options, kCount);
  FilterParameters parameters = parameters_for(kind.number, kind.geometry(options), options);
  if (is_foreign(kind.number)) parameters.hash = NativeHash();
  return kind.make(parameters);
}

std::vector<const Kind*> every_kind() {
  std::vector<const Kind*> all;
  for (int number = 0; number < 256; ++number) {
    try {
      all.push_back(&kind_of(static_cast<FilterKind>(number)));
    } catch (const FormatError&) {
      // No kind has it.
    }
  }
  return all;
}

// Returns pairs of keys whose bytes are gone when the pairs are used.
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
  for (const Kind* const kind : every_kind()) {
    SCOPED_TRACE(kind->name);
    AnyFilter filter = filter_of(*kind);
    EXPECT_EQ(filter.hashes_once(), kind->hashes_once);
    if (filter.hashes_once()) {
      expect_found_by_pair(filter);
    } else {
      expect_refuses_pairs(filter);
    }
  }
}

TEST(EveryKind, SaysInItsEntryWhatItsFiltersDo) {
  std::set<std::string_view> names;
  for (const Kind* const kind : every_kind()) {
    SCOPED_TRACE(kind->name);
    EXPECT_EQ(&kind_of(kind->number), kind);
    EXPECT_TRUE(names.insert(kind->name).second);
    EXPECT_FALSE(kind->hash_name.empty());
    EXPECT_EQ(kind->what.empty(), is_foreign(kind->number));
    const AnyFilter filter = filter_of(*kind);
    EXPECT_EQ(filter.parameters().kind, kind->number);
    EXPECT_EQ(filter.can_erase(), kind->counts);
    EXPECT_EQ(filter.can_insert(), !kind->built_once);
    EXPECT_EQ(filter.contents().layers.empty(), !kind->has_layers);
    EXPECT_EQ(filter.geometry().line_bits, kind->forgets ? kHalfLineBits : kind->line_bits);
    const FilterContents contents = filter.contents();
    EXPECT_EQ(contents.word_count(), kind->word_count(contents));
  }
  EXPECT_EQ(every_kind().size(), 29U);
  EXPECT_THROW(kind_of(FilterKind{}), FormatError);
  EXPECT_THROW(kind_of(FilterKind{255}), FormatError);
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
