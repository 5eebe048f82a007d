// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bloomery/bits/heap_words.h"
#include "bloomery/filter/parameters.h"

namespace bloomery {

// One layer of a filter that grows: a filter of its own, that shares the hash of the others.
struct Layer {
  Geometry geometry;
  std::uint64_t capacity = 0;
  double false_positive_rate = 0;
  std::uint64_t inserted = 0;

  friend bool operator==(const Layer&, const Layer&) = default;
};

// All that a file holds of a filter. The words stay the filter's: one array, or one a layer, the
// first first.
struct FilterContents {
  FilterParameters parameters;
  std::uint64_t inserted = 0;
  std::vector<Layer> layers{};  // of a scalable filter
  std::vector<std::span<const std::uint64_t>> words{};

  // Keys that it is made for, in all layers.
  std::uint64_t capacity() const noexcept {
    if (layers.empty()) return parameters.capacity;
    std::uint64_t sum = 0;
    for (const Layer& each : layers) sum += each.capacity;
    return sum;
  }

  std::uint64_t word_count() const noexcept {
    std::uint64_t count = 0;
    for (const auto& each : words) count += each.size();
    return count;
  }
};

// Copies all words, one array behind the other. May run beside insert_concurrently(): the bits of
// keys that were inserted before are in the copy. Throws as HeapWords does.
HeapWords copied_words(const FilterContents& contents);

// Why the filters cannot become one, as a sentence; empty where they can, as far as parameters and
// layers say.
std::string merge_obstacle(const FilterContents& a, const FilterContents& b);

// One of the bits that a key means, for explanations.
struct Probe {
  std::uint32_t layer = 0;     // which layer or generation, from 0, where there are several
  std::uint64_t position = 0;  // within that
  bool set = false;            // or, where fingerprints are compared, whether they are the same
};

}  // namespace bloomery
