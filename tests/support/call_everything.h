// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/filter/any_filter.h"
#include "tests/support/keys.h"

// Every public call of a filter that was moved from: none crashes, and no key is ever absent.
namespace bloomery::testing {

// Asks for keys that are in the filter in every way there is.
template <class F>
void expect_maybe_of_all(const F& filter, const std::vector<Key>& keys) {
  const auto found = std::make_unique<bool[]>(keys.size());
  filter.may_contain_many(keys, std::span(found.get(), keys.size()));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ASSERT_TRUE(found[i]) << keys[i];
    ASSERT_TRUE(filter.may_contain(keys[i])) << keys[i];
    if constexpr (requires { filter.may_contain_hash(filter.hash(keys[i])); }) {
      ASSERT_TRUE(filter.may_contain_hash(filter.hash(keys[i]))) << keys[i];
    }
  }
  const std::vector<std::uint64_t> integers{0, 1, 7, 1ULL << 63, ~0ULL};
  std::array<bool, 5> said{};
  filter.may_contain_many(integers, said);
  for (std::size_t i = 0; i < integers.size(); ++i) {
    ASSERT_TRUE(said[i]) << integers[i];
    if constexpr (requires { filter.may_contain(integers[i]); }) {
      ASSERT_TRUE(filter.may_contain(integers[i])) << integers[i];
    }
  }
}

// Makes a call that may throw: a refusal is an answer, too.
void attempt(auto call) {
  try {
    call();
  } catch (const std::exception&) {
  }
}

template <class F>
void expect_consistent(const F& filter) {
  EXPECT_GE(filter.capacity(), 1U);
  EXPECT_GE(filter.inserted(), filter.capacity()) << "it is full";
  EXPECT_GT(filter.fill_ratio(), 0.1);
  EXPECT_GE(filter.predicted_rate(), 0.1);
  EXPECT_GT(filter.cardinality(), 0);
  const FilterContents contents = filter.contents();
  std::uint64_t ones = 0;
  for (const auto words : contents.words) {
    for (const std::uint64_t word : words) ones += word != 0 ? 1 : 0;
  }
  EXPECT_GT(ones, 0U);
  EXPECT_EQ(contents.parameters.kind, filter.parameters().kind);
}

template <class F>
void change_everything(F& filter) {
  const std::vector<Key> keys{"a", "b", "12345678"};
  const std::vector<std::uint64_t> integers{7, 8};
  std::array<bool, 3> was_new{};
  attempt([&] { filter.insert("new"); });
  attempt([&] { filter.insert(77); });
  attempt([&] { filter.insert_many(keys); });
  attempt([&] { filter.insert_many(keys, was_new); });
  attempt([&] { filter.insert_many(integers); });
  attempt([&] { filter.insert_concurrently("new"); });
  attempt([&] { filter.insert_concurrently(78); });
  if constexpr (requires { filter.insert_hash(filter.hash("x")); }) {
    filter.insert_hash(filter.hash("x"));
    filter.insert_hash_concurrently(filter.hash("y"));
  }
  if constexpr (requires { filter.try_insert("x"); }) attempt([&] { filter.try_insert("x"); });
  if constexpr (requires { filter.insert_regardless("x"); }) {
    attempt([&] { filter.insert_regardless("x"); });
  }
  if constexpr (requires { filter.erase("new"); }) {
    for (int i = 0; i < 40; ++i) attempt([&] { filter.erase("new"); });
    attempt([&] { filter.erase(77); });
    attempt([&] { filter.try_erase("new"); });
  }
  if constexpr (requires { filter.estimate_count("new"); }) {
    EXPECT_EQ(filter.estimate_count("new"), 15U);
    EXPECT_TRUE(filter.plain().may_contain("anything"));
  }
  if constexpr (requires { filter.integers(); }) {
    auto view = filter.integers();
    view.insert(79);
    view.set(80);
    EXPECT_TRUE(view.may_contain(81));
    filter.integers([](auto& each) { each.insert(82); });
  }
  if constexpr (requires { filter.generations(); }) filter.generations();
  attempt([&] { EXPECT_FALSE(filter.probes("x").empty()); });
  if constexpr (requires { filter.positions("x"); }) {
    EXPECT_FALSE(filter.positions("x").empty());
  }
  attempt([&] { filter.merge(filter.contents()); });
  filter.set_keys({KeyEncoding::i64});
  filter.set_keys(kUnknownForm);
}

// `make(keys)` gives a filter with them. It is moved on by construction and by assignment.
template <class Make>
void expect_moved_from_is_usable(Make make) {
  const auto names = texts(3'000, "member:");
  const std::vector<Key> keys = keys_of(names);
  auto first = make(keys);
  auto second = std::move(first);
  expect_maybe_of_all(first, keys);
  expect_consistent(first);
  change_everything(first);
  expect_maybe_of_all(first, keys);
  attempt([&] { first.clear(); });
  expect_maybe_of_all(first, keys);
  auto other = make({});
  other = std::move(second);
  expect_maybe_of_all(second, keys);
  expect_consistent(second);
  for (const Key key : keys) ASSERT_TRUE(other.may_contain(key)) << key;
  // A filter that was moved from can be assigned to, and moved again.
  first = std::move(other);
  for (const Key key : keys) ASSERT_TRUE(first.may_contain(key)) << key;
  auto third = std::move(second);
  expect_maybe_of_all(third, keys);
  expect_maybe_of_all(second, keys);
  auto& itself = first;
  first = std::move(itself);
  for (const Key key : keys) ASSERT_TRUE(first.may_contain(key)) << key;
}

}  // namespace bloomery::testing
