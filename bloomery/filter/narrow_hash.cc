// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/narrow_hash.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace bloomery {
namespace {

// The bits as probes fall on them: each of the first `often_count` has `often` of the chance of a
// probe, and each of the others `rest`.
struct Shares {
  double often_count;
  double often;
  double rest_count;
  double rest;
};

Shares shares_of(const Geometry& geometry, const NarrowHash& hash) noexcept {
  const auto bits = static_cast<double>(geometry.bit_count);
  const double values = hash.probe_values;
  if (values == NarrowHash::kWide) return {0, 0, bits, 1 / bits};
  const double rounds = std::floor(values / bits);
  const double left = values - rounds * bits;
  return {left, (rounds + 1) / values, bits - left, rounds / values};
}

// How many of the first bits are set, and how many of the others.
struct Ones {
  double often;
  double rest;
};

Ones count_ones(const Shares& shares, const BitView& bits) noexcept {
  const auto border = static_cast<std::uint64_t>(shares.often_count);
  const std::uint64_t word = border / kWordBits;
  std::uint64_t often = bits.subview(0, word).count_ones();
  if (border % kWordBits != 0) {
    often += static_cast<std::uint64_t>(std::popcount(bits[word] & (bit_mask(border) - 1)));
  }
  return {static_cast<double>(often), static_cast<double>(bits.count_ones() - often)};
}

// In more bits than it has values, the third probe is told apart from the others.
bool has_third(const Geometry& geometry, const NarrowHash& hash) noexcept {
  return geometry.probe_count > 2 && static_cast<double>(geometry.bit_count) > hash.third_values;
}

// Expected: how many bits a number of hashes sets, and how often an absent key's third probe hits,
// both on average.
struct Expected {
  Ones ones;
  double third_hit = 1;
};

Expected expected_of(const Geometry& geometry, const NarrowHash& hash, const Shares& shares,
                     double hashes) noexcept {
  const bool third = has_third(geometry, hash);
  const double probes = (geometry.probe_count - (third ? 1 : 0)) * hashes;
  const auto fill = [&](double share) { return -std::expm1(probes * std::log1p(-share)); };
  Expected expected{
      {shares.often_count * fill(shares.often), shares.rest_count * fill(shares.rest)}};
  if (!third || hashes == 0) {
    expected.third_hit = third ? 0 : 1;
    return expected;
  }
  // A value at height u of the triangle, u from 0 to 1, stays clear with probability e^(-u top).
  const double top = 2 * hashes / hash.third_values;
  const double bits = static_cast<double>(geometry.bit_count);
  const double clear = 1 - (expected.ones.often + expected.ones.rest) / bits;
  const double missed = 2 * (1 - (1 + top) * std::exp(-top)) / (top * top);
  expected.third_hit = std::max(1 - clear * missed, 1 - clear);
  const double set_by_third = clear * hash.third_values * (1 + std::expm1(-top) / top) / bits;
  expected.ones.often += shares.often_count * set_by_third;
  expected.ones.rest += shares.rest_count * set_by_third;
  return expected;
}

double rate_of(const Geometry& geometry, const NarrowHash& hash, const Ones& ones, double third_hit,
               double hashes) noexcept {
  const Shares shares = shares_of(geometry, hash);
  const double hit = shares.often * ones.often + shares.rest * ones.rest;
  const std::uint32_t others = hash.alike_probes + (has_third(geometry, hash) ? 1 : 0);
  const std::uint32_t telling = geometry.probe_count - std::min(others, geometry.probe_count);
  return either(std::pow(hit, telling) * third_hit, hashes / hash.hashes);
}

// How many hashes so many keys have, and its inverse.
double distinct_hashes(const NarrowHash& hash, double keys) noexcept {
  if (hash.hashes == NarrowHash::kWide) return keys;
  return -hash.hashes * std::expm1(keys * std::log1p(-1 / hash.hashes));
}
double keys_of(const NarrowHash& hash, double hashes) noexcept {
  if (hash.hashes == NarrowHash::kWide) return hashes;
  return std::log1p(-std::min(hashes, hash.hashes - 0.5) / hash.hashes) /
         std::log1p(-1 / hash.hashes);
}

// How many hashes set so many bits; where all bits that can be are set, a half less.
double hashes_of(const Geometry& geometry, const NarrowHash& hash, const Shares& shares,
                 double ones) noexcept {
  if (ones == 0) return 0;
  const double reached = shares.often_count + (shares.rest > 0 ? shares.rest_count : 0);
  const double set = std::min(ones, reached - 0.5);
  const auto too_few = [&](double hashes) {
    const Expected expected = expected_of(geometry, hash, shares, hashes);
    return expected.ones.often + expected.ones.rest < set;
  };
  double low = 0;
  double high = reached;
  while (too_few(high)) high *= 2;
  for (int step = 0; step < 100 && high - low > 1e-9 * high; ++step) {
    const double middle = (low + high) / 2;
    (too_few(middle) ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

double predicted_rate(const Geometry& geometry, const NarrowHash& hash, double keys) noexcept {
  const double hashes = distinct_hashes(hash, keys);
  const Expected expected = expected_of(geometry, hash, shares_of(geometry, hash), hashes);
  return rate_of(geometry, hash, expected.ones, expected.third_hit, hashes);
}

FillState fill_state(const Geometry& geometry, const NarrowHash& hash,
                     const BitView& bits) noexcept {
  const Shares shares = shares_of(geometry, hash);
  const Ones ones = count_ones(shares, bits);
  const double hashes =
      std::min(hashes_of(geometry, hash, shares, ones.often + ones.rest), hash.hashes);
  const double third_hit = expected_of(geometry, hash, shares, hashes).third_hit;
  return {.fill_ratio = (ones.often + ones.rest) / static_cast<double>(geometry.bit_count),
          .cardinality = keys_of(hash, hashes),
          .predicted_rate = rate_of(geometry, hash, ones, third_hit, hashes)};
}

}  // namespace bloomery
