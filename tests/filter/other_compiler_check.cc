// SPDX-License-Identifier: Apache-2.0
// A program of another compiler than the library's: the two share what their templates become, and
// so must agree on how a closure keeps what it captures. Exit status 1 where batches answer
// otherwise than single calls.
#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "bloomery/filter/blocked_filter.h"
#include "bloomery/filter/classic_filter.h"
#include "bloomery/filter/counting_filter.h"
#include "bloomery/filter/filter_kinds.h"
#include "bloomery/filter/scalable_filter.h"
#include "bloomery/filter/windowed_filter.h"

namespace bloomery {
namespace {

constexpr std::size_t kKeys = 3000;
const FilterOptions kOptions{.capacity = 500, .window = {.length_ms = 3'600'000}};

std::vector<std::uint64_t> random_keys(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> keys(kKeys);
  for (std::uint64_t& key : keys) key = random();
  return keys;
}

template <class F>
bool finds_alike(const F& filter, std::span<const std::uint64_t> keys, bool has_all) {
  const auto found = std::make_unique<bool[]>(keys.size());
  std::vector<std::uint64_t> bits(keys.size() / kWordBits + 1);
  filter.may_contain_many(keys, std::span(found.get(), keys.size()));
  filter.may_contain_many(keys, std::span(bits));
  bool same = true;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool is_there = filter.may_contain(keys[i]);
    same = same && is_there == found[i] && (is_there || !has_all);
    same = same && is_there == ((bits[i / kWordBits] >> (i % kWordBits) & 1) != 0);
  }
  return same;
}

template <class F>
bool answers_alike(const char* name, F filter) {
  const auto keys = random_keys(1);
  const std::span<const std::uint64_t> all(keys);
  const auto is_new = std::make_unique<bool[]>(kKeys);
  std::vector<std::uint64_t> bits(kKeys / kWordBits + 1);
  filter.insert_many(all.first(1000));
  filter.insert_many(all.subspan(1000, 1000), std::span(is_new.get(), 1000));
  filter.insert_many(all.subspan(2000), std::span(bits));
  const bool same = finds_alike(filter, all, true) && finds_alike(filter, random_keys(2), false);
  if (!same) std::printf("%s: a batch answers otherwise than single calls\n", name);
  return same;
}

bool run() {
  bool same = answers_alike("blocked", BlockedFilter(kOptions));
  same = answers_alike("classic", ClassicFilter(kOptions)) && same;
  same = answers_alike("counting", CountingFilter(kOptions)) && same;
  same = answers_alike("scalable", ScalableFilter(kOptions)) && same;
  same = answers_alike("windowed", WindowedFilter(kOptions)) && same;
  for (const Kind& kind : filter_kinds()) {
    if (is_built_once(kind.number)) continue;
    same = answers_alike(kind.name.data(), make_filter(kind.number, kOptions)) && same;
  }
  return same;
}

}  // namespace
}  // namespace bloomery

int main() {
  return bloomery::run() ? 0 : 1;
}
