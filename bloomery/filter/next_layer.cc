// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/next_layer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "bloomery/filter/sizing.h"

namespace bloomery {
namespace {

constexpr double kSmallExpansion = 16;
constexpr double kSmallKeys = 20'000;
constexpr double kFirstShare = 0.5;
constexpr double kMostFixed = 1.3;

// Growth ends long before; what a layer of so many keys needs no machine has.
constexpr double kMostLayerKeys = 0x1p62;

// Keys of all the layers, and the sum of their rates.
struct Grown {
  double keys = 0;
  double rates = 0;
};

Grown sum_of(std::span<const Layer> layers) noexcept {
  Grown sum;
  for (const Layer& each : layers) {
    sum.keys += static_cast<double>(each.capacity);
    sum.rates += each.false_positive_rate;
  }
  return sum;
}

std::uint64_t new_keys(double held, double expansion) {
  return static_cast<std::uint64_t>(std::min(std::ceil(held * (expansion - 1)), kMostLayerKeys));
}

Layer layer_of(std::uint64_t capacity, double rate) {
  rate = std::max(kMinRate, rate);
  return {blocked_geometry({.capacity = capacity, .false_positive_rate = rate}), capacity, rate};
}

// With the rate that its whole lines keep: what that is below `most` is left for later layers.
Layer thrifty_layer(const Geometry& geometry, std::uint64_t capacity, double most) {
  return {geometry, capacity, std::clamp(kept_rate(geometry, capacity), kMinRate, most)};
}

Layer first_layer(const FilterOptions& options) {
  const std::uint64_t capacity = options.capacity;
  const Layer half = layer_of(capacity, options.false_positive_rate * kFirstShare);
  Geometry fixed = blocked_geometry(options);
  const std::uint64_t line = std::uint64_t{fixed.line_bits} * fixed.lines_per_key;
  const auto most = static_cast<std::uint64_t>(kMostFixed * static_cast<double>(fixed.bit_count));
  const std::uint64_t most_bits = std::max(fixed.bit_count + line, most / line * line);
  if (half.geometry.bit_count <= most_bits) {
    return thrifty_layer(half.geometry, capacity, half.false_positive_rate);
  }
  fixed.bit_count = most_bits;
  return thrifty_layer(fixed, capacity, options.false_positive_rate);
}

Layer later_layer(const FilterOptions& options, const Grown& grown) {
  const Growth& growth = options.growth;
  const double small = std::min(kSmallExpansion, kSmallKeys / grown.keys);
  const Layer layer =
      layer_of(new_keys(grown.keys, std::max(small, growth.expansion)),
               (options.false_positive_rate - grown.rates) * (1 - growth.tightening));
  return thrifty_layer(layer.geometry, layer.capacity, layer.false_positive_rate);
}

// The rule of earlier versions: all layers that kept the filter within 65,536 keys, of 1, 15, 240,
// 3,840 and 61,440, had a 128th of the rate each, and the others shared what these five left.
namespace strict {

constexpr double kShare = 1.0 / 128;
constexpr double kMostLayers = 5;
constexpr double kKeys = 65'536;

bool began(const FilterOptions& options, const Layer& first) noexcept {
  return static_cast<double>(first.capacity) <= kKeys &&
         first.false_positive_rate == options.false_positive_rate * kShare;
}

Layer later_layer(const FilterOptions& options, std::span<const Layer> layers) {
  const Growth& growth = options.growth;
  double held = 0;
  double large = 0;
  for (const Layer& each : layers) {
    held += static_cast<double>(each.capacity);
    large += held <= kKeys ? 0 : 1;
  }
  const double least = held <= kKeys ? kSmallExpansion : 0;
  const std::uint64_t keys = new_keys(held, std::max(least, growth.expansion));
  const bool is_small = held + static_cast<double>(keys) <= kKeys;
  const double share = is_small ? kShare
                                : (1 - kMostLayers * kShare) * (1 - growth.tightening) *
                                      std::pow(growth.tightening, large);
  return layer_of(keys, options.false_positive_rate * share);
}

}  // namespace strict

[[noreturn]] void refuse(const char* what, double value, const char* allowed) {
  std::array<char, 32> shown;  // 1e+308, where to_string() writes 316 characters
  std::snprintf(shown.data(), shown.size(), "%g", value);
  throw std::invalid_argument(what + std::string(shown.data()) + " is not possible: " + allowed);
}

}  // namespace

void validate(const Growth& growth) {
  if (!(growth.expansion >= 1.1 && growth.expansion <= 64)) {
    refuse("an expansion of ", growth.expansion, "from 1.1 to 64");
  }
  if (!(growth.tightening >= 0.1 && growth.tightening <= 0.99)) {
    refuse("a tightening ratio of ", growth.tightening, "from 0.1 to 0.99");
  }
}

Layer next_layer(const FilterOptions& options, std::span<const Layer> layers) {
  validate(options);
  validate(options.growth);
  if (layers.empty()) return first_layer(options);
  return strict::began(options, layers.front()) ? strict::later_layer(options, layers)
                                                : later_layer(options, sum_of(layers));
}

}  // namespace bloomery
