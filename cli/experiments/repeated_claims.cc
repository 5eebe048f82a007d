// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "bloomery/bits/bit_view.h"
#include "bloomery/format/bloom_filter_helper.h"
#include "cli/experiments/figure.h"
#include "cli/experiments/key_ranges.h"

namespace bloomery::cli {
namespace {

std::string digits(std::uint64_t i) {
  return std::to_string(i);
}

Figure share_of_bits() {
  constexpr std::uint64_t kKeys = 1000;
  AnyFilter filter =
      bloom_filter_helper::kFormat.create({.capacity = kKeys, .false_positive_rate = 0.01}, {});
  insert_range(filter, 0, kKeys, digits);
  const auto m = static_cast<double>(filter.geometry().bit_count);
  const double kn = filter.geometry().probe_count * static_cast<double>(kKeys);
  const std::uint64_t ones = BitView(filter.contents().words.front()).count_ones();
  const double set = static_cast<double>(ones) / m;
  const double printed = 1 - std::pow(1 / m, kn);
  const double right = 1 - std::pow(1 - 1 / m, kn);
  return {
      .post = kRepeatedClaims,
      .what = "the chance that a bit is set by n keys with k probes each",
      .theirs = "1-(1/m)^kn",
      .ours = fmt::format(
          "1-(1-1/m)^kn = {:.3f}, and {:.3f} of {} bits are set by {} keys\nas printed: {:.3f}, "
          "every bit",
          right, set, filter.geometry().bit_count, kKeys, printed),
      .verdict = Verdict::wrong,
      .remark = "1/m is the chance to hit the bit, 1-1/m to miss it; kn probes must miss it.",
      .numbers = {{"printed", printed}, {"right", right}, {"measured", set}}};
}

Figure rule_of_the_rate() {
  constexpr std::uint64_t kKeys = 100'000;
  const std::array rates{0.1, 0.01, 0.001};
  std::vector<double> bits;
  std::vector<double> measured;
  for (const double rate : rates) {
    bits.push_back(std::log(rate) / std::log(0.6185));
    AnyFilter filter =
        bloom_filter_helper::kFormat.create({.capacity = kKeys, .false_positive_rate = rate}, {});
    insert_range(filter, 0, kKeys, digits);
    measured.push_back(static_cast<double>(count_present(filter, 10 * kKeys, 20 * kKeys, digits)) /
                       (10 * kKeys));
  }
  return {.post = kRepeatedClaims,
          .what = "bits a key for 10 %, 1 % and 0.1 %, by 0.6185^(m/n)",
          .theirs = "4.792, 9.585 and 14.377",
          .ours = fmt::format("{:.3f}, {:.3f} and {:.3f}; made so, with whole k, 100,000 keys have "
                              "{:.2f} %, {:.3f} % and {:.4f} %",
                              bits[0], bits[1], bits[2], 100 * measured[0], 100 * measured[1],
                              100 * measured[2]),
          .verdict = Verdict::right,
          .remark = "It is of the best k, 0.693 m/n, which is no whole number.",
          .numbers = {{"bits_a_key", bits}, {"measured_rates", measured}}};
}

Figure clock_of_a_look_up() {
  using Clock = std::chrono::steady_clock;
  constexpr std::uint64_t kKeys = 1'000'000;
  AnyFilter filter =
      bloom_filter_helper::kFormat.create({.capacity = kKeys, .false_positive_rate = 0.01}, {});
  insert_range(filter, 0, kKeys, digits);
  std::vector<std::int64_t> times;
  for (std::uint64_t i = 0; i < 1001; ++i) {
    const std::string key = digits(i * 1999);
    const auto start = Clock::now();
    filter.may_contain(key);
    times.push_back(std::chrono::nanoseconds(Clock::now() - start).count());
  }
  std::ranges::nth_element(times, times.begin() + 500);
  const std::int64_t median = times[500];
  return {.post = kRepeatedClaims,
          .what = "the time of a look-up among 1,000,000 keys in memory",
          .theirs = "the difference of two System.nanoTime(), printed as microseconds",
          .ours = fmt::format("{} ns, of which the clock itself takes a part", median),
          .verdict = Verdict::wrong,
          .remark = fmt::format(
              "Printed so it would be \"{} us\": a thousand times too long, as if each look-up "
              "went over a network.",
              median),
          .numbers = {{"median_ns", median}}};
}

}  // namespace

std::vector<Figure> figures_of_repeated_claims(std::uint64_t key_count) {
  std::vector<Figure> figures{share_of_bits(), rule_of_the_rate(), clock_of_a_look_up()};
  for (Figure& each : figures_with_redis(key_count)) figures.push_back(std::move(each));
  return figures;
}

}  // namespace bloomery::cli
