// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/rates.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace bloomery {
namespace {

double power(double base, std::uint32_t exponent) noexcept {
  double product = 1;
  for (; exponent != 0; exponent >>= 1, base *= base) {
    if ((exponent & 1) != 0) product *= base;
  }
  return product;
}

// The share of set bits f has the variance of the occupancy problem; f^k follows by the delta
// method.
RateMoments classic_moments(const Geometry& geometry, double keys) noexcept {
  const auto bits = static_cast<double>(geometry.bit_count);
  const double load = geometry.probe_count * keys / bits;
  const double fill = expected_fill_ratio(geometry, keys);
  const double empty = std::exp(-load);
  const double fill_variance = empty * (1 - (1 + load) * empty) / bits;
  const double mean = power(fill, geometry.probe_count);
  const double slope = fill > 0 ? geometry.probe_count * mean / fill : 0;
  return {mean, slope * slope * fill_variance};
}

// E[rate] and E[rate^2] of one line that Poisson(mean_keys) keys set `probes` bits of, one in each
// of as many of the eight lanes. The fill of a lane of b bits has mean q1 and second moment
// (q1 + (b - 1) q2) / b, where q1 and q2 are the chances that one bit and that two bits of it are
// set.
struct LineMoments {
  double first = 0;
  double second = 0;
};

LineMoments line_moments(std::uint32_t line_bits, std::uint32_t probes, double mean_keys) noexcept {
  // A bit stays clear with e^-195: every probe hits, and the sum would only be long.
  if (mean_keys > 1e5) return {1, 1};
  const double spread = std::sqrt(mean_keys);
  const double mode = std::floor(mean_keys);
  const double lowest = std::max(0.0, std::floor(mean_keys - 12 * spread - 20));
  const double highest = std::ceil(mean_keys + 14 * spread + 40);
  const double bits = line_bits;
  const double lane_bits = bits / 8;
  const double one_clear = 1 - probes / bits;
  const double two_clear = 1 - 2 * probes / bits;

  LineMoments sum;
  double weights = 0;  // Poisson weights relative to that of the mode, so nothing overflows
  const auto add = [&](double weight, double clear1, double clear2) {
    const double q1 = 1 - clear1;
    const double q2 = std::max(0.0, 1 - 2 * clear1 + clear2);
    weights += weight;
    sum.first += weight * power(q1, probes);
    sum.second += weight * power((q1 + (lane_bits - 1) * q2) / lane_bits, probes);
  };
  const double clear1_at_mode = std::pow(one_clear, mode);
  const double clear2_at_mode = std::pow(two_clear, mode);
  double weight = 1;
  double clear1 = clear1_at_mode;
  double clear2 = clear2_at_mode;
  for (double i = mode; i <= highest; ++i) {
    add(weight, clear1, clear2);
    weight *= mean_keys / (i + 1);
    clear1 *= one_clear;
    clear2 *= two_clear;
  }
  weight = 1;
  clear1 = clear1_at_mode;
  clear2 = clear2_at_mode;
  for (double i = mode; i > lowest; --i) {
    weight *= i / mean_keys;
    clear1 /= one_clear;
    clear2 /= two_clear;
    add(weight, clear1, clear2);
  }
  return {sum.first / weights, sum.second / weights};
}

RateMoments blocked_moments(const Geometry& geometry, double keys) noexcept {
  const auto lines =
      static_cast<double>(geometry.bit_count / geometry.line_bits / geometry.lines_per_key);
  double mean = 1;
  double second = 1;
  for (std::uint32_t line = 0; line < geometry.lines_per_key; ++line) {
    const LineMoments one =
        line_moments(geometry.line_bits, probes_in_line(geometry, line), keys / lines);
    mean *= one.first;
    // The rate of a half is the mean over its lines, near independent.
    const double variance = std::max(0.0, one.second - one.first * one.first) / lines;
    second *= one.first * one.first + variance;
  }
  return {mean, std::max(0.0, second - mean * mean)};
}

}  // namespace

RateMoments rate_moments(const Geometry& geometry, double keys) noexcept {
  return geometry.lines_per_key == 0 ? classic_moments(geometry, keys)
                                     : blocked_moments(geometry, keys);
}

double line_rate(const BitView& line, std::uint32_t probes) noexcept {
  const std::size_t lanes_per_word = kLineWords / line.size();
  const std::size_t lane_bits = kWordBits / lanes_per_word;
  std::array<double, kLineWords> fill;
  for (std::size_t lane = 0; lane < kLineWords; ++lane) {
    const std::uint64_t word = line[lane / lanes_per_word] >> (lane % lanes_per_word * lane_bits);
    const std::uint64_t bits = lane_bits == kWordBits ? word : word & (bit_mask(lane_bits) - 1);
    fill[lane] = static_cast<double>(std::popcount(bits)) / static_cast<double>(lane_bits);
  }
  // In consecutive lanes from any first lane.
  const std::size_t first_lanes = probes == kLineWords ? 1 : kLineWords;
  double sum = 0;
  for (std::size_t first = 0; first < first_lanes; ++first) {
    double product = 1;
    for (std::uint32_t i = 0; i < probes; ++i) product *= fill[(first + i) % kLineWords];
    sum += product;
  }
  return sum / static_cast<double>(first_lanes);
}

double current_rate(const Geometry& geometry, const BitView& bits) noexcept {
  if (geometry.lines_per_key == 0) {
    return power(static_cast<double>(bits.count_ones()) / static_cast<double>(geometry.bit_count),
                 geometry.probe_count);
  }
  const std::size_t half_words = bits.size() / geometry.lines_per_key;
  double rate = 1;
  for (std::uint32_t half = 0; half < geometry.lines_per_key; ++half) {
    const BitView lines = bits.subview(half * half_words, half_words);
    double sum = 0;
    for (std::size_t at = 0; at < lines.size(); at += kLineWords) {
      sum += line_rate(lines.subview(at, kLineWords), probes_in_line(geometry, half));
    }
    rate *= sum / static_cast<double>(half_words / kLineWords);
  }
  return rate;
}

double expected_fill_ratio(const Geometry& geometry, double keys) noexcept {
  const auto bits = static_cast<double>(geometry.bit_count);
  if (geometry.lines_per_key == 0) {
    return -std::expm1(geometry.probe_count * keys * std::log1p(-1 / bits));
  }
  // A Poisson number of keys on a line leaves a bit clear exactly as often as probes over the whole
  // array do.
  const double half_bits = bits / geometry.lines_per_key;
  double sum = 0;
  for (std::uint32_t line = 0; line < geometry.lines_per_key; ++line) {
    const double probes = probes_in_line(geometry, line);
    sum += -std::expm1(-probes * keys / half_bits);
  }
  return sum / geometry.lines_per_key;
}

double estimate_cardinality(const Geometry& geometry, std::uint64_t ones) noexcept {
  const auto bits = static_cast<double>(geometry.bit_count);
  const double fill = std::min(static_cast<double>(ones), bits - 0.5) / bits;
  double low = 0;
  double high = bits;
  while (expected_fill_ratio(geometry, high) < fill) high *= 2;
  for (int step = 0; step < 100 && high - low > 1e-9 * high; ++step) {
    const double middle = (low + high) / 2;
    (expected_fill_ratio(geometry, middle) < fill ? low : high) = middle;
  }
  return ones == 0 ? 0 : (low + high) / 2;
}

}  // namespace bloomery
