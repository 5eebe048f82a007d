// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/sizing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>

#include "bloomery/bits/bit_storage.h"
#include "bloomery/filter/rates.h"

namespace bloomery {
namespace {

constexpr double kMaxBits = 0x1p60;
constexpr std::uint32_t kMaxLineProbes = 8;
constexpr std::uint32_t kMaxClassicProbes = 255;
constexpr double kTwoLinesWorth = 1.10;
constexpr double kTwoHalfLinesWorth = 1.25;
constexpr double kAllLanesWorth = 1.03;

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.12g", value);
  return text.data();
}

bool keeps_rate(const Geometry& geometry, const FilterOptions& options) noexcept {
  return kept_rate(geometry, options.capacity) <= options.false_positive_rate;
}

[[noreturn]] void throw_too_large(const FilterOptions& options) {
  throw std::invalid_argument("a filter for " + std::to_string(options.capacity) +
                              " keys at rate " + number(options.false_positive_rate) +
                              " needs more than 2^60 bits");
}

void require_possible(std::uint32_t probe_count, std::uint32_t lines_per_key) {
  const std::uint32_t most =
      lines_per_key == 0 ? kMaxClassicProbes : kMaxLineProbes * lines_per_key;
  if (lines_per_key <= 2 && probe_count >= std::max(1U, lines_per_key) && probe_count <= most) {
    return;
  }
  throw std::invalid_argument("no filter has " + std::to_string(probe_count) + " probes on " +
                              std::to_string(lines_per_key) +
                              " lines a key: 1 to 255 on 0 (anywhere), 1 to 8 on 1, 2 to 16 on 2");
}

// The fewest units of `unit_bits` that keep the rate, found upwards from a first guess and then by
// halving.
Geometry fewest_units(Geometry geometry, double first_guess_bits, std::uint64_t unit_bits,
                      const FilterOptions& options) {
  if (!(first_guess_bits < kMaxBits)) throw_too_large(options);
  const auto with_units = [&](std::uint64_t units) {
    geometry.bit_count = units * unit_bits;
    return geometry;
  };
  const auto bits = static_cast<std::uint64_t>(first_guess_bits);
  std::uint64_t low =
      std::max<std::uint64_t>(1, bits / unit_bits) - 1;  // does not keep it, or is 0
  std::uint64_t step = 1;
  std::uint64_t high = low + step;
  while (!keeps_rate(with_units(high), options)) {
    low = high;
    step = std::max<std::uint64_t>(2 * step, high >> 10);
    high += step;
    if (static_cast<double>(high) * static_cast<double>(unit_bits) > kMaxBits) {
      throw_too_large(options);
    }
  }
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (keeps_rate(with_units(middle), options) ? high : low) = middle;
  }
  return with_units(high);
}

// Bits a key at which the mean rate of a blocked geometry is `rate`; the formula depends on that
// ratio alone.
double blocked_bits_per_key(std::uint32_t line_bits, std::uint32_t lines_per_key,
                            std::uint32_t probe_count, double rate) {
  constexpr double kManyLines = 1 << 20;
  const Geometry geometry{static_cast<std::uint64_t>(kManyLines) * line_bits * lines_per_key,
                          probe_count, lines_per_key, line_bits};
  const auto bits = static_cast<double>(geometry.bit_count);
  // Solved for the logarithm of the rate, which is nearly straight in that of the bits: a few
  // secant steps.
  const auto excess = [&](double log_bits_per_key) {
    return std::log(predicted_rate(geometry, bits / std::exp(log_bits_per_key)) / rate);
  };
  double low = std::log(-static_cast<double>(probe_count) /
                        std::log1p(-std::pow(rate, 1.0 / probe_count)));  // classic: too few
  double high = low + 0.05;
  double excess_low = excess(low);
  for (int step = 0; step < 30; ++step) {
    const double excess_high = excess(high);
    if (std::abs(excess_high) < 1e-6 || excess_high == excess_low) break;
    const double next = high - excess_high * (high - low) / (excess_high - excess_low);
    low = high;
    excess_low = excess_high;
    high = next;
  }
  return std::exp(high);
}

struct Candidate {
  std::uint32_t probe_count = 0;
  double bits_per_key = 0;
};

// The best number of probes within so many lines: near the classic optimum. With one line, where
// the processor and not memory may be the limit, rather all eight lanes, which need no mask, at up
// to 3 % more bits.
Candidate best_probes(std::uint32_t line_bits, std::uint32_t lines_per_key, double rate) {
  const std::uint32_t most = kMaxLineProbes * lines_per_key;
  const auto optimum = static_cast<std::uint32_t>(std::min(60.0, std::ceil(-std::log2(rate))));
  const std::uint32_t last = std::clamp(optimum + 1, lines_per_key, most);
  const std::uint32_t first = std::clamp(optimum > 3 ? optimum - 3 : 1, lines_per_key, last);
  std::optional<Candidate> best;
  for (std::uint32_t probes = first; probes <= last; ++probes) {
    const Candidate candidate{probes, blocked_bits_per_key(line_bits, lines_per_key, probes, rate)};
    if (!best || candidate.bits_per_key < best->bits_per_key) best = candidate;
  }
  if (lines_per_key == 1 && best->probe_count + 2 >= most) {
    const Candidate all_lanes{most, blocked_bits_per_key(line_bits, 1, most, rate)};
    if (all_lanes.bits_per_key < kAllLanesWorth * best->bits_per_key) best = all_lanes;
  }
  return *best;
}

Geometry computed_blocked_geometry(const FilterOptions& options, std::uint32_t line_bits) {
  const double rate = options.false_positive_rate;
  const Candidate one = best_probes(line_bits, 1, rate);
  const Candidate two = best_probes(line_bits, 2, rate);
  const double worth = line_bits == kLineBits ? kTwoLinesWorth : kTwoHalfLinesWorth;
  const std::uint32_t lines = one.bits_per_key > worth * two.bits_per_key ? 2 : 1;
  const Candidate& chosen = lines == 2 ? two : one;
  const double guess = chosen.bits_per_key * static_cast<double>(options.capacity);
  return fewest_units({0, chosen.probe_count, lines, line_bits}, guess,
                      std::uint64_t{line_bits} * lines, options);
}

// RecentSizes: the sizes that a thread has computed last. A size takes some hundred microseconds,
// and a program that makes a filter for each of a million users makes them alike.
struct RecentSizes {
  struct Size {
    std::uint64_t capacity = 0;  // 0: none yet
    double rate = 0;
    std::uint32_t line_bits = 0;
    Geometry geometry{};
  };
  std::array<Size, 32> all{};  // as many as growing filters of a few sizes have layers
  std::size_t next = 0;
};
thread_local RecentSizes recent;

}  // namespace

void validate(const FilterOptions& options) {
  if (options.capacity == 0) throw std::invalid_argument("capacity is 0: at least 1 key");
  const double rate = options.false_positive_rate;
  if (!(rate >= kMinRate && rate < 1)) {
    throw std::invalid_argument("false positive rate is " + number(rate) + ": from " +
                                number(kMinRate) + " to below 1");
  }
  if (!hashes_texts(options.hash)) {
    throw std::invalid_argument("hash is " + std::to_string(static_cast<int>(options.hash)) +
                                ": 1, that of older versions, 4 or 5");
  }
}

double kept_rate(const Geometry& geometry, std::uint64_t keys) noexcept {
  const RateMoments rate = rate_moments(geometry, static_cast<double>(keys));
  return std::max(rate.mean, (rate.mean + 4 * std::sqrt(rate.variance)) / 1.05);
}

Geometry classic_geometry(const FilterOptions& options) {
  validate(options);
  const double optimum = -std::log2(options.false_positive_rate);
  Geometry best;
  const auto first = static_cast<std::uint32_t>(std::max(1.0, std::floor(0.6 * optimum)));
  const auto last = static_cast<std::uint32_t>(std::ceil(optimum));
  for (std::uint32_t probes = first; probes <= last; ++probes) {
    const Geometry found = geometry_with_probes(probes, 0, options);
    if (best.bit_count == 0 || found.bit_count < best.bit_count) best = found;
  }
  return best;
}

Geometry blocked_geometry(const FilterOptions& options, std::uint32_t line_bits) {
  validate(options);
  const auto found = std::ranges::find_if(recent.all, [&](const RecentSizes::Size& each) {
    return each.capacity == options.capacity && each.rate == options.false_positive_rate &&
           each.line_bits == line_bits;
  });
  if (found != recent.all.end()) return found->geometry;
  const Geometry geometry = computed_blocked_geometry(options, line_bits);
  recent.all[recent.next] = {options.capacity, options.false_positive_rate, line_bits, geometry};
  recent.next = (recent.next + 1) % recent.all.size();
  return geometry;
}

Geometry geometry_with_probes(std::uint32_t probe_count, std::uint32_t lines_per_key,
                              const FilterOptions& options) {
  validate(options);
  require_possible(probe_count, lines_per_key);
  const double root = std::pow(options.false_positive_rate, 1.0 / probe_count);
  const double guess = probe_count * static_cast<double>(options.capacity) / -std::log1p(-root);
  const std::uint64_t unit_bits = lines_per_key == 0 ? kWordBits : lines_per_key * kLineBits;
  return fewest_units({0, probe_count, lines_per_key}, guess, unit_bits, options);
}

}  // namespace bloomery
