// SPDX-License-Identifier: Apache-2.0
// Filters that say how their keys are written, and calls for keys that are written otherwise.
#include "bloomery/filter/key_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/blocked_filter.h"
#include "bloomery/filter/classic_filter.h"
#include "bloomery/filter/counting_filter.h"
#include "bloomery/filter/filter_kinds.h"
#include "bloomery/filter/scalable_filter.h"
#include "bloomery/filter/windowed_filter.h"
#include "tests/support/run_threads.h"

namespace bloomery {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr KeyForm kTexts{};
constexpr KeyForm kIntegers{KeyEncoding::i64};

AnyFilter filter_of(FilterKind kind, const KeyForm& form) {
  return make_filter(kind, {.capacity = 1'000, .false_positive_rate = 1e-6, .keys = form});
}

constexpr std::array kKinds{FilterKind::blocked, FilterKind::classic, FilterKind::counting,
                            FilterKind::scalable};

TEST(KeyWatch, AnIntegerInAFilterOfTextsMakesItsFormUnknown) {
  for (const FilterKind kind : kKinds) {
    for (int way = 0; way < 5; ++way) {
      AnyFilter filter = filter_of(kind, kTexts);
      filter.insert("alice");
      filter.insert("12345678");
      filter.insert_many(std::vector<Key>{"bob", "87654321", "grüßen"});
      EXPECT_EQ(filter.keys(), kTexts);
      const std::uint64_t seven = 7;
      if (way == 0) filter.insert(7);
      if (way == 1) filter.insert_many(std::vector<std::uint64_t>{7});
      if (way == 2) filter.insert(as_key(seven));
      if (way == 3) filter.insert_many(std::vector<Key>{as_key(seven)});
      if (way == 4) filter.insert_concurrently(7);
      EXPECT_EQ(filter.keys(), kUnknownForm) << way;
      EXPECT_EQ(filter.contents().parameters.keys, kUnknownForm) << way;
      EXPECT_TRUE(filter.may_contain("alice"));
      EXPECT_TRUE(filter.may_contain(7));
      EXPECT_FALSE(filter.may_contain(8));
    }
  }
}

TEST(KeyWatch, ATextInAFilterOfIntegersMakesItsFormUnknown) {
  for (const FilterKind kind : kKinds) {
    AnyFilter filter = filter_of(kind, kIntegers);
    const std::uint64_t eight = 8;
    filter.insert(7);
    filter.insert(as_key(eight));
    filter.insert_many(std::vector<std::uint64_t>{9});
    EXPECT_EQ(filter.keys(), kIntegers);
    filter.insert("10");
    EXPECT_EQ(filter.keys(), kUnknownForm);
    EXPECT_TRUE(filter.may_contain(8));
    EXPECT_TRUE(filter.may_contain("10"));
  }
}

// Written by the command, say, and asked by a program.
TEST(KeyWatch, AKeyIsAskedForAsItIsWritten) {
  for (const FilterKind kind : kKinds) {
    AnyFilter texts = filter_of(kind, kTexts);
    texts.insert_many(std::vector<Key>{"7", "-7", "18446744073709551615"});
    for (const std::int64_t key : {7, -7, -1}) {
      EXPECT_TRUE(texts.may_contain(key)) << key;
      EXPECT_TRUE(texts.may_contain(static_cast<std::uint64_t>(key))) << key;
    }
    EXPECT_FALSE(texts.may_contain(8));
    std::array<bool, 4> found{};
    texts.may_contain_many(std::vector<std::uint64_t>{7, 0 - 7ULL, ~0ULL, 8}, found);
    EXPECT_THAT(found, ::testing::ElementsAre(true, true, true, false));

    AnyFilter integers = filter_of(kind, kIntegers);
    integers.insert_many(std::vector<std::uint64_t>{7, 0 - 7ULL});
    EXPECT_TRUE(integers.may_contain("7"));
    EXPECT_TRUE(integers.may_contain("-7"));
    EXPECT_FALSE(integers.may_contain("8"));
    EXPECT_FALSE(integers.may_contain("alice"));
    integers.may_contain_many(std::vector<Key>{"7", "-7", "8", "alice"}, found);
    EXPECT_THAT(found, ::testing::ElementsAre(true, true, false, false));
  }
}

TEST(KeyWatch, OtherFormsTakeNoIntegersAndDenyNone) {
  for (const KeyForm form : {KeyForm{KeyEncoding::i32}, KeyForm{KeyEncoding::utf16},
                             KeyForm{KeyEncoding::text, Normalise::lower}}) {
    AnyFilter filter = filter_of(FilterKind::blocked, form);
    EXPECT_THAT([&] { filter.insert(7); },
                ThrowsMessage<std::invalid_argument>(HasSubstr(form_text(form))));
    EXPECT_EQ(filter.inserted(), 0U);
    EXPECT_EQ(filter.keys(), form);
    EXPECT_EQ(filter.may_contain(7), form.encoding != KeyEncoding::text);
  }
}

TEST(KeyWatch, NothingIsErasedThatCannotBeThere) {
  AnyFilter filter = filter_of(FilterKind::counting, kTexts);
  filter.insert("7");
  EXPECT_FALSE(filter.erase(7));
  EXPECT_TRUE(filter.erase("7"));
  filter.insert(7);
  EXPECT_TRUE(filter.erase(7));
}

TEST(KeyWatch, ThreadsTakeIntegersTogether) {
  AnyFilter filter = filter_of(FilterKind::blocked, kTexts);
  run_threads(4, [&](int thread) {
    for (std::uint64_t i = 0; i < 200; ++i)
      filter.insert_concurrently(1'000 * static_cast<std::uint64_t>(thread) + i);
  });
  EXPECT_EQ(filter.keys(), kUnknownForm);
  for (std::uint64_t i = 0; i < 200; ++i) EXPECT_TRUE(filter.may_contain(3'000 + i));
}

TEST(KeyWatch, WhoKnowsTheFormIsLeftAlone) {
  AnyFilter filter = filter_of(FilterKind::blocked, kTexts);
  filter.take_keys_as_said();
  filter.insert(7);
  EXPECT_EQ(filter.keys(), kTexts);
}

// A filter that a program made itself, without AnyFilter.
template <class F>
void expect_watched(FilterOptions options) {
  options.keys = kTexts;
  for (int way = 0; way < 6; ++way) {
    F filter(options);
    filter.insert("alice");
    filter.insert("12345678");
    filter.insert_many(std::vector<Key>{"bob"});
    EXPECT_EQ(filter.keys(), kTexts);
    const std::uint64_t seven = 7;
    if (way == 0) filter.insert(7);
    if (way == 1) filter.insert_many(std::vector<std::uint64_t>{7});
    if (way == 2) filter.insert(as_key(seven));
    if (way == 3) filter.insert_concurrently(7);
    if (way == 4) filter.insert_concurrently(as_key(seven));
    if (way == 5) filter.insert_many(std::vector<Key>{"carol", as_key(seven)});
    EXPECT_EQ(filter.keys(), kUnknownForm) << way;
    EXPECT_EQ(filter.contents().parameters.keys, kUnknownForm) << way;
    EXPECT_EQ(filter.copy().keys(), kUnknownForm) << way;
    if constexpr (!std::same_as<F, WindowedFilter>) {  // windows by count do not merge
      F other(options);
      other.merge(filter);
      EXPECT_EQ(other.keys(), kUnknownForm) << way;
    }
    F moved(std::move(filter));
    EXPECT_EQ(moved.keys(), kUnknownForm) << way;
    AnyFilter any(std::move(moved));
    EXPECT_EQ(any.keys(), kUnknownForm) << way;
    EXPECT_TRUE(any.may_contain(7));
    any.set_keys(kTexts);
    EXPECT_EQ(any.keys(), kTexts);
  }
  F copied = F(options).copy();
  copied.insert(7);
  EXPECT_EQ(copied.keys(), kUnknownForm);
  options.keys = kIntegers;
  F integers(options);
  integers.insert(7);
  integers.insert_many(std::vector<std::uint64_t>{8, 9});
  EXPECT_EQ(integers.keys(), kIntegers);
  integers.insert("10");
  EXPECT_EQ(integers.keys(), kUnknownForm);
}

TEST(KeyWatch, AFilterThatAProgramMadeIsWatchedToo) {
  expect_watched<BlockedFilter>({.capacity = 1'000, .false_positive_rate = 1e-6});
  expect_watched<ClassicFilter>({.capacity = 1'000, .false_positive_rate = 1e-6});
  expect_watched<CountingFilter>({.capacity = 1'000, .false_positive_rate = 1e-6});
  expect_watched<WindowedFilter>({.capacity = 1'000, .false_positive_rate = 1e-6});
  expect_watched<ScalableFilter>({.capacity = 1'000, .false_positive_rate = 1e-6});
}

TEST(KeyWatch, AViewOfIntegersIsWatchedToo) {
  BlockedFilter filter({.capacity = 1'000, .keys = kTexts});
  filter.integers().insert(7);
  EXPECT_EQ(filter.keys(), kUnknownForm);
  BlockedFilter looped({.capacity = 1'000, .keys = kTexts});
  looped.integers([](auto& view) { view.insert(7); });
  EXPECT_EQ(looped.keys(), kUnknownForm);
}

TEST(KeyWatch, WhatNoFileCanSayIsNotSaved) {
  for (const KeyForm form : {KeyForm{KeyEncoding::i32}, KeyForm{KeyEncoding::utf16}}) {
    BlockedFilter filter({.capacity = 1'000, .keys = form});
    filter.insert(7);
    EXPECT_THAT([&] { filter.contents(); },
                ThrowsMessage<std::invalid_argument>(HasSubstr(form_text(form))));
  }
}

// A copy, a plain filter and a merge know no more of the keys than the filter does.
template <class F>
void expect_not_passed_on(FilterOptions options) {
  options.keys = {KeyEncoding::i32};
  F filter(options);
  const F other(options);
  filter.insert(7);
  const auto refuses = [&](auto call) {
    EXPECT_THAT(call, ThrowsMessage<std::invalid_argument>(HasSubstr("i32")));
  };
  refuses([&] { filter.copy(); });
  if constexpr (!std::same_as<F, WindowedFilter>) {  // windows by count do not merge
    refuses([&] { filter.merge(other); });
    refuses([&] { F(options).merge(filter); });
  }
  if constexpr (requires { filter.plain(); }) refuses([&] { filter.plain(); });
  EXPECT_TRUE(filter.may_contain(7));
  refuses([&] { filter.contents(); });
  refuses([&] { AnyFilter(std::move(filter)).copy(); });
}

TEST(KeyWatch, WhatNoFileCanSayIsNotPassedOn) {
  expect_not_passed_on<BlockedFilter>({.capacity = 1'000});
  expect_not_passed_on<ClassicFilter>({.capacity = 1'000});
  expect_not_passed_on<CountingFilter>({.capacity = 1'000});
  expect_not_passed_on<WindowedFilter>({.capacity = 1'000});
  expect_not_passed_on<ScalableFilter>({.capacity = 1'000});
}

TEST(KeyWatch, APlainFilterHasTheFormThatIsLeft) {
  CountingFilter filter({.capacity = 1'000, .keys = kTexts});
  EXPECT_EQ(filter.plain().keys(), kTexts);
  filter.insert(7);
  EXPECT_EQ(filter.plain().keys(), kUnknownForm);
  EXPECT_EQ(filter.plain().contents().parameters.keys, kUnknownForm);
}

TEST(KeyWatch, TheBytesOfIntegersAreNoTexts) {
  for (const std::uint64_t integer :
       {0ULL, 7ULL, 1ULL << 40, ~0ULL, 0x4142434445464748ULL & ~0xffULL}) {
    EXPECT_FALSE(may_be_text(as_key(integer))) << integer;
  }
  for (const Key text : {"12345678", "grüßen", "a b c d!", ""}) EXPECT_TRUE(may_be_text(text));
}

}  // namespace
}  // namespace bloomery
