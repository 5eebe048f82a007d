// SPDX-License-Identifier: Apache-2.0
// What somebody types first in C++ compiles, without a warning, and does what it says.
#include <array>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <initializer_list>
#include <list>
#include <ranges>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "bloomery/bloomery.h"

namespace {

using namespace bloomery;

int failed = 0;

void require(bool right, const char* what) {
  if (right) return;
  std::printf("not so: %s\n", what);
  ++failed;
}
#define REQUIRE(what) require(what, #what)

template <class F>
void keys_in_any_container(F filter) {
  const std::vector<int> ints{-1, 2, 3};
  const std::vector<std::int64_t> longs{-1, 4};
  const std::deque<unsigned> words{5, 6};
  const std::set<std::string> names{"alice", "bob"};
  std::list<const char*> literals{"carol", "dave"};
  std::array<bool, 3> found{};

  REQUIRE(filter.insert_many(ints) == 3);
  REQUIRE(filter.insert_many(longs) == 1);  // -1 is one key, whatever its type
  REQUIRE(filter.insert_many(words) == 2);
  REQUIRE(filter.insert_many(names) == 2);
  REQUIRE(filter.insert_many(literals) == 2);
  REQUIRE(filter.insert_many({"erin", "frank"}) == 2);
  REQUIRE(filter.insert_many({7, 8, -9}) == 3);
  REQUIRE(filter.insert_many(std::views::iota(100, 110)) == 10);
  // Keys that are made as they are asked for, and are gone then.
  const auto made = ints | std::views::transform([](int i) { return "made " + std::to_string(i); });
  REQUIRE(filter.insert_many(made) == 3);
  auto odd = ints | std::views::filter([](int i) { return i % 2 != 0; });
  filter.may_contain_many(odd, std::span(found).first(2));
  REQUIRE(found[0] && found[1]);
  filter.may_contain_many(ints, found);
  REQUIRE(found[0] && found[1] && found[2]);
  filter.may_contain_many(made, found);
  REQUIRE(found[0] && found[1] && found[2]);
  for (const std::string& name : names) REQUIRE(filter.may_contain(name));
  for (const int i : {-1, 2, 3, 7, 8, -9, 105}) REQUIRE(filter.may_contain(i));
  REQUIRE(filter.may_contain("made -1") && filter.may_contain("erin") &&
          filter.may_contain("dave"));
}

template <class F>
void copies_are_asked_for(F filter) {
  static_assert(!std::is_copy_constructible_v<F> && !std::is_copy_assignable_v<F>);
  static_assert(std::is_nothrow_move_constructible_v<F>);
  filter.insert("alice");
  auto other = filter.copy();
  other.insert("bob");
  REQUIRE(other.may_contain("alice") && other.may_contain("bob"));
  REQUIRE(!filter.may_contain("bob"));
  REQUIRE(filter.inserted() == 1 && other.inserted() == 2);
}

void erased_too_often() {
  CountingFilter filter({.capacity = 100});
  for (int i = 0; i < 20; ++i) filter.insert("alice");
  REQUIRE(filter.try_erase("alice") == Erase::saturated);
  REQUIRE(filter.try_erase("bob") == Erase::absent);
  for (int i = 0; i < 14; ++i) filter.insert("carol");
  for (int i = 0; i < 14; ++i) REQUIRE(filter.try_erase("carol") == Erase::erased);
  REQUIRE(!filter.may_contain("carol") && filter.may_contain("alice"));
  AnyFilter any(std::move(filter));
  REQUIRE(any.try_erase("alice") == Erase::saturated);
  REQUIRE(any.erase("alice"));
}

void bytes_are_keys() {
  BlockedFilter filter({.capacity = 1'000});
  const std::array<std::uint8_t, 16> digest{1, 2, 3};
  const std::vector<std::byte> bytes(3, std::byte{7});
  const unsigned char plain[2] = {0, 1};
  for (const Key key : {as_key(digest), as_key(bytes), as_key(plain)}) REQUIRE(filter.insert(key));
  REQUIRE(filter.may_contain(as_key(std::span(digest).first(16))));
  REQUIRE(filter.may_contain("\7\7\7") && filter.may_contain(Key("\0\1", 2)));
  REQUIRE(!filter.may_contain(as_key(std::span(digest).first(15))));
}

// A static filter keeps bytes that are built and given to it in one line.
void a_static_filter_keeps_what_it_was_given() {
  std::vector<std::string> names;
  for (int i = 0; i < 1'000; ++i) names.push_back("name " + std::to_string(i));
  std::vector<std::vector<std::byte>> others;
  StaticFilter filter(build_static_filter(names));
  StaticFilter copy = filter;
  StaticFilter moved = std::move(filter);
  filter = StaticFilter(build_static_filter(std::vector<Key>{"alice"}));
  for (int i = 0; i < 100; ++i) others.emplace_back(moved.bytes().size());
  for (const std::string& name : names) {
    REQUIRE(copy.may_contain(name) && moved.may_contain(name));
  }
  REQUIRE(filter.may_contain("alice") && !filter.may_contain("bob"));
}

// Calls that would mean something else than they say do not compile.
template <class F>
concept TakesNothing = requires(F f) {
  f.insert(nullptr);
}
|| requires(F f) {
  f.insert({});
}
|| requires(F f) {
  f.insert(1.5);
}
|| requires(F f) {
  f.insert(true);
}
|| requires(F f) {
  f.insert('a');
}
|| requires(F f) {
  f.insert_many("alice");
};
template <class F>
concept ViewedWhenItIsGone = requires {
  F({.capacity = 10}).integers();
};
static_assert(!ViewedWhenItIsGone<BlockedFilter>);
static_assert(!TakesNothing<BlockedFilter> && !TakesNothing<ScalableFilter> &&
              !TakesNothing<AnyFilter>);

}  // namespace

int main() {
  keys_in_any_container(BlockedFilter({.capacity = 10'000, .false_positive_rate = 1e-6}));
  keys_in_any_container(ScalableFilter({.capacity = 10'000, .false_positive_rate = 1e-6}));
  keys_in_any_container(
      AnyFilter(ClassicFilter({.capacity = 10'000, .false_positive_rate = 1e-6})));
  copies_are_asked_for(BlockedFilter({.capacity = 1'000}));
  copies_are_asked_for(ClassicFilter({.capacity = 1'000}));
  copies_are_asked_for(CountingFilter({.capacity = 1'000}));
  copies_are_asked_for(WindowedFilter({.capacity = 1'000}));
  copies_are_asked_for(ScalableFilter({.capacity = 1'000}));
  copies_are_asked_for(AnyFilter(BlockedFilter({.capacity = 1'000})));
  copies_are_asked_for(AnyFilter(ScalableFilter({.capacity = 1'000})));
  erased_too_often();
  bytes_are_keys();
  a_static_filter_keeps_what_it_was_given();
  return failed == 0 ? 0 : 1;
}
