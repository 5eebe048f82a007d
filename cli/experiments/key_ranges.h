// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "bloomery/filter/any_filter.h"

namespace bloomery::cli {

// Calls visit(keys) for the keys make(from) to make(to - 1), some thousand at a time.
template <class Make, class Visit>
void for_each_batch(std::uint64_t from, std::uint64_t to, Make make, Visit visit) {
  constexpr std::uint64_t kBatch = 4096;
  std::vector<std::string> texts;
  std::vector<Key> keys;
  for (std::uint64_t first = from; first < to; first += kBatch) {
    texts.clear();
    for (std::uint64_t i = first; i < std::min(to, first + kBatch); ++i) texts.push_back(make(i));
    keys.assign(texts.begin(), texts.end());
    visit(std::span<const Key>(keys));
  }
}

template <class Make>
void insert_range(AnyFilter& filter, std::uint64_t from, std::uint64_t to, Make make) {
  for_each_batch(from, to, make, [&](std::span<const Key> keys) { filter.insert_many(keys); });
}

// How many of the keys may be in the filter.
template <class Make>
std::uint64_t count_present(const AnyFilter& filter, std::uint64_t from, std::uint64_t to,
                            Make make) {
  std::uint64_t count = 0;
  std::array<bool, 4096> found;
  for_each_batch(from, to, make, [&](std::span<const Key> keys) {
    filter.may_contain_many(keys, std::span(found).first(keys.size()));
    count += static_cast<std::uint64_t>(
        std::count_if(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(keys.size()),
                      [](bool yes) { return yes; }));
  });
  return count;
}

}  // namespace bloomery::cli
