// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/blocked_filter.h"
#include "bloomery/filter/make_kind.h"
#include "bloomery/hash/native_hash.h"

namespace bloomery {
namespace {

// All that a new kind has to write: here a filter of one bit a key.
class OneBitLayout {
 public:
  static constexpr FilterKind kKind = FilterKind::classic;

  explicit OneBitLayout(const FilterParameters& parameters)
      : hash_(parameters.hash), bits_(parameters.geometry.bit_count) {}

  static Geometry geometry(const FilterOptions& options) {
    return {.bit_count = options.capacity * 100, .probe_count = 1};
  }
  static void check(const FilterParameters&) {}
  static std::uint64_t word_count(const FilterParameters& parameters) noexcept {
    return (parameters.geometry.bit_count + kWordBits - 1) / kWordBits;
  }

  HashPair hash(Key key) const noexcept { return hash_(key); }
  HashPair hash(std::uint64_t integer) const noexcept { return hash_(integer); }
  bool all_positions(HashPair hash, auto test) const { return test(hash.h1 % bits_); }
  void prefetch(Words words, HashPair hash) const noexcept {
    prefetch_far(&words[hash.h1 % bits_ / kWordBits]);
  }

 private:
  NativeHash hash_;
  std::uint64_t bits_;
};
static_assert(Layout<OneBitLayout>);
using OneBitFilter = BasicFilter<OneBitLayout, HeapWords>;

TEST(SmallLayout, IsAFilterOfAllThatFiltersDo) {
  std::vector<std::uint64_t> keys(3'000);
  std::iota(keys.begin(), keys.end(), 0);
  OneBitFilter single({.capacity = keys.size()});
  OneBitFilter batched({.capacity = keys.size()});
  OneBitFilter concurrent({.capacity = keys.size()});
  std::size_t added = 0;
  for (const std::uint64_t key : keys) {
    added += single.insert(key) ? 1 : 0;
    concurrent.insert_concurrently(key);
  }
  EXPECT_EQ(batched.insert_many(keys), added);
  EXPECT_EQ(single.contents().words[0].front(), batched.contents().words[0].front());
  EXPECT_EQ(single.bits().count_ones(), batched.bits().count_ones());
  EXPECT_EQ(concurrent.bits().count_ones(), batched.bits().count_ones());

  const auto found = std::make_unique<bool[]>(keys.size());
  batched.may_contain_many(keys, std::span(found.get(), keys.size()));
  for (const std::uint64_t key : keys) {
    EXPECT_TRUE(found[key]);
    EXPECT_TRUE(single.may_contain(key));
    EXPECT_TRUE(batched.may_contain_hash(batched.hash(key)));
  }
  OneBitFilter other({.capacity = keys.size()});
  other.insert("of the other");
  batched.merge(other);
  EXPECT_TRUE(batched.may_contain("of the other"));
  EXPECT_FALSE(batched.may_contain("of none"));
  const auto probes = batched.probes("of the other");
  ASSERT_EQ(probes.size(), 1U);
  EXPECT_TRUE(probes[0].set);
  EXPECT_EQ(probes[0].position, batched.positions("of the other").front());
}

TEST(SmallLayout, IsAKind) {
  const Kind kind = flat_kind<OneBitLayout>({"one-bit", "native"});
  EXPECT_FALSE(kind.counts || kind.forgets || kind.built_once);
  FilterParameters parameters;
  parameters.geometry = kind.geometry({.capacity = 100});
  AnyFilter filter = kind.make(parameters);
  filter.insert("a");
  EXPECT_TRUE(filter.may_contain("a"));
  EXPECT_FALSE(filter.may_contain("b"));
}

}  // namespace
}  // namespace bloomery
