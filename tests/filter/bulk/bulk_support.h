// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bloomery/filter/blocked_filter.h"
#include "bloomery/filter/bulk/bulk_plan.h"
#include "tests/support/keys.h"

// Filters just large enough to be built in bulk, and keys that crowd them in different ways, for
// the tests of bulk builds.
namespace bloomery::testing {

// With so many threads, filters of a few megabytes are worth a bulk build, also with two lines a
// key.
inline constexpr unsigned kBulkThreads = 12;

struct BulkCase {
  std::string name;
  FilterParameters parameters;
};

// Seventeen regions a half, the last of them not whole.
inline std::vector<BulkCase> bulk_cases() {
  const std::uint64_t lines = kBulkFilterBytes / kLineBytes + 100;
  const auto parameters = [&](std::uint32_t probes, std::uint32_t lines_per_key) {
    FilterParameters result;
    result.kind = FilterKind::blocked;
    result.geometry = {lines * kLineBits * lines_per_key, probes, lines_per_key};
    result.capacity = 1'000'000;
    result.false_positive_rate = 0.01;
    return result;
  };
  std::vector<BulkCase> cases{{"one line, all lanes", parameters(8, 1)},
                              {"one line, some lanes", parameters(5, 1)},
                              {"two lines", parameters(11, 2)},
                              {"two whole lines, secret", parameters(16, 2)}};
  cases[0].parameters.hash = NativeHash(77);
  cases[3].parameters.hash = NativeHash(SecretKey{{1, 2, 3, 4}});
  return cases;
}

// Without the secret one, whose hash takes ten times as long and is a pair as others are.
inline std::vector<BulkCase> quick_bulk_cases() {
  std::vector<BulkCase> cases = bulk_cases();
  cases.pop_back();
  return cases;
}

inline BlockedFilter empty_filter(const FilterParameters& parameters) {
  return {parameters, HeapWords(parameters.geometry.bit_count / kWordBits), 0};
}

struct KeySet {
  std::string name;
  std::vector<std::uint64_t> keys;
};

// Keys whose first line is in one region of the filter.
inline std::vector<std::uint64_t> crowded_keys(const FilterParameters& parameters,
                                               std::size_t count) {
  const BlockedLayout layout(parameters);
  std::vector<std::uint64_t> keys;
  for (std::uint64_t i = 0; keys.size() < count; ++i) {
    const std::uint64_t line = fast_range(layout.hash(i).h1, layout.shape().lines);
    if (line / kRegionLines == 3) keys.push_back(i);
  }
  return keys;
}

inline std::vector<KeySet> key_sets(const FilterParameters& parameters, std::size_t count) {
  std::vector<KeySet> sets{{"random", random_keys(count)},
                           {"repeated", random_keys(count)},
                           {"one key", std::vector<std::uint64_t>(count, 42)}};
  for (std::size_t i = 0; i < count; ++i) sets[1].keys[i] %= count / 4;
  if (parameters.hash.secret()) return {sets[1]};  // as of quick_bulk_cases()
  sets.push_back({"crowded", crowded_keys(parameters, count / 8)});
  // Every one eight times, far apart.
  for (int copy = 0; copy < 3; ++copy) {
    auto& keys = sets[3].keys;
    keys.insert(keys.end(), keys.begin(), keys.end());
  }
  return sets;
}

inline void expect_same_filter(const BlockedFilter& filter, const BlockedFilter& expected,
                               const std::string& what) {
  EXPECT_EQ(filter.inserted(), expected.inserted()) << what;
  EXPECT_TRUE(std::ranges::equal(filter.words(), expected.words())) << what;
}

}  // namespace bloomery::testing
