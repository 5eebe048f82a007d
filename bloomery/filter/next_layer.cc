#include "bloomery/filter/next_layer.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "bloomery/filter/sizing.h"

namespace bloomery {
namespace {

constexpr double kSmallExpansion = 16;
constexpr double kSmallShare = 1.0 / 128;
constexpr double kMostSmallLayers = 5;  // of 1, 15, 240, 3,840 and 61,440 keys
constexpr double kFirstLargeShare = 0.5;

// Growth ends long before; what a layer of so many keys needs no machine has.
constexpr double kMostLayerKeys = 0x1p62;

std::uint64_t next_capacity(const FilterOptions& options, std::uint64_t held) {
  if (held == 0) return options.capacity;
  const double expansion = held <= kSmallKeys ? std::max(kSmallExpansion, options.growth.expansion)
                                              : options.growth.expansion;
  const double keys = std::ceil(static_cast<double>(held) * (expansion - 1));
  return static_cast<std::uint64_t>(std::min(keys, kMostLayerKeys));
}

// The share of the asked rate for a layer that follows `small` small and `large` large ones.
double rate_share(double small, double large, double tightening) {
  const double before = small > 0 ? kMostSmallLayers * kSmallShare : kFirstLargeShare;
  if (small == 0 && large == 0) return kFirstLargeShare;
  const double step = small > 0 ? large : large - 1;
  return (1 - before) * (1 - tightening) * std::pow(tightening, step);
}

}  // namespace

void validate(const Growth& growth) {
  if (!(growth.expansion >= 1.1 && growth.expansion <= 64)) {
    throw std::invalid_argument("an expansion of " + std::to_string(growth.expansion) +
                                " is not possible: from 1.1 to 64");
  }
  if (!(growth.tightening >= 0.1 && growth.tightening <= 0.99)) {
    throw std::invalid_argument("a tightening ratio of " + std::to_string(growth.tightening) +
                                " is not possible: from 0.1 to 0.99");
  }
}

Layer next_layer(const FilterOptions& options, std::span<const Layer> layers) {
  validate(options);
  validate(options.growth);
  std::uint64_t held = 0;
  double small = 0;
  for (const Layer& each : layers) {
    held += each.capacity;
    small += held <= kSmallKeys ? 1 : 0;
  }
  Layer next;
  next.capacity = next_capacity(options, held);
  const bool is_small = held + next.capacity <= kSmallKeys;
  const double share = is_small ? kSmallShare
                                : rate_share(small, static_cast<double>(layers.size()) - small,
                                             options.growth.tightening);
  next.false_positive_rate = std::max(kMinRate, options.false_positive_rate * share);
  next.geometry = blocked_geometry(
      {.capacity = next.capacity, .false_positive_rate = next.false_positive_rate});
  return next;
}

}  // namespace bloomery
