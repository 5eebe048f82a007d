// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/blocked_filter.h"
#include "bloomery/filter/counting_filter.h"
#include "bloomery/filter/scalable_filter.h"
#include "bloomery/filter/static_filter.h"

namespace bloomery {
namespace {

template <class F, class K>
concept Takes = requires(F filter, const K& key) {
  filter.insert(key);
  filter.may_contain(key);
};

template <class F>
class KeysOf : public ::testing::Test {};
using Filters = ::testing::Types<BlockedFilter, CountingFilter, ScalableFilter>;
TYPED_TEST_SUITE(KeysOf, Filters);

TYPED_TEST(KeysOf, AreTextsAndIntegersAndNothingThatSomebodyMeantElse) {
  static_assert(Takes<TypeParam, const char*> && Takes<TypeParam, std::string>);
  static_assert(Takes<TypeParam, int> && Takes<TypeParam, std::uint8_t>);
  static_assert(!Takes<TypeParam, double> && !Takes<TypeParam, float>);
  static_assert(!Takes<TypeParam, std::nullptr_t>);
  __extension__ using Int128 = __int128;
  static_assert(!IntegerKey<Int128> && !Takes<TypeParam, Int128>);
  static_assert(!Takes<TypeParam, char> && !Takes<TypeParam, char32_t> && !Takes<TypeParam, bool>);
  TypeParam filter({.capacity = 100});
  filter.insert(0);
  filter.insert(-1);
  EXPECT_TRUE(filter.may_contain(std::uint64_t{0}));
  EXPECT_TRUE(filter.may_contain(~std::uint64_t{0}));
  EXPECT_FALSE(filter.may_contain(std::uint32_t{0xffffffff}));
}

TYPED_TEST(KeysOf, ComeAsAVectorOfStringsToo) {
  const std::vector<std::string> texts{"a", "b", "b"};
  TypeParam filter({.capacity = 100});
  EXPECT_EQ(filter.insert_many(texts), 2U);
  bool found[3] = {};
  EXPECT_EQ(filter.insert_many(texts, found), 0U);
  EXPECT_FALSE(found[0]);
  filter.may_contain_many(texts, found);
  EXPECT_TRUE(found[0] && found[1] && found[2]);
  EXPECT_TRUE(filter.may_contain("b"));

  AnyFilter any(std::move(filter));
  EXPECT_EQ(any.insert_many(std::vector<const char*>{"a", "c"}), 1U);
}

TEST(StaticFilterKeys, ComeAsAVectorOfStringsToo) {
  const std::vector<std::string> texts{"a", "b"};
  const auto bytes = build_static_filter(texts);
  const StaticFilter filter(bytes);
  bool found[2] = {};
  filter.may_contain_many(texts, found);
  EXPECT_TRUE(found[0] && found[1]);
}

}  // namespace
}  // namespace bloomery
