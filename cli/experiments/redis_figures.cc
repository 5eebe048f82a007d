// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "bloomery/format/bloom_filter_helper.h"
#include "bloomery/format/redisbloom/redisbloom_filter.h"
#include "cli/experiments/figure.h"
#include "cli/experiments/key_ranges.h"
#include "cli/experiments/repeated_trials.h"

namespace bloomery::cli {
namespace {

using redisbloom::Generation;
using redisbloom::ReserveOptions;

// BF.ADD user0, BF.EXISTS user1, BF.ADD user1, ...: the i at which user(i + 1) is found too early.
std::uint64_t first_false_positive(Generation generation) {
  AnyFilter filter = redisbloom::reserve({.generation = generation});
  for (std::uint64_t i = 0;; ++i) {
    filter.insert("user" + std::to_string(i));
    if (filter.may_contain("user" + std::to_string(i + 1))) return i;
  }
}

Figure first_too_early() {
  const std::uint64_t then = first_false_positive(Generation::v2_0);
  const std::uint64_t now = first_false_positive(Generation::current);
  return {
      .post = "redis",
      .what =
          "RedisBloom, a filter made by the first BF.ADD: user(i) is added, user(i+1) asked "
          "for; the first false positive",
      .theirs = "214",
      .ours = fmt::format("{} with RedisBloom 1.1.1 to 2.0.3, {} since 2.2.5", then, now),
      .verdict = Verdict::dated,
      .remark = "Releases up to 2.0.3 rounded the bits up to a power of two, so they set others.",
      .numbers = {{"up_to_2_0_3", then}, {"since_2_2_5", now}}};
}

// 50,000 random texts are added, and 50,000 others asked for.
RepeatedTrials random_texts(const ReserveOptions& options, std::uint64_t filter_count) {
  constexpr std::uint64_t kKeys = 50'000;
  return repeat_trials(filter_count, kKeys, [&](std::uint64_t seed) {
    const auto make = [&](std::uint64_t i) { return random_hex(seed, i); };
    AnyFilter filter = redisbloom::reserve(options);
    insert_range(filter, 0, kKeys, make);
    return count_present(filter, kKeys, 2 * kKeys, make);
  });
}

Figure random_text_figure(std::string_view what, std::string_view theirs, ReserveOptions options,
                          const std::string& remark, std::uint64_t filter_count) {
  options.generation = Generation::v2_0;
  const RepeatedTrials then = random_texts(options, filter_count);
  options.generation = Generation::current;
  const RepeatedTrials now = random_texts(options, filter_count);
  return {.post = "redis",
          .what = what,
          .theirs = theirs,
          .ours = "up to 2.0.3: " + then.text() + "\nsince 2.2.5: " + now.text(),
          .verdict = Verdict::plausible,
          .remark = remark,
          .numbers = {{"up_to_2_0_3", then.numbers()}, {"since_2_2_5", now.numbers()}}};
}

Figure size_for_900_million() {
  const double bits = std::ceil(900e6 * std::log(1000.0) / (std::log(2.0) * std::log(2.0)));
  const double probes = bits / 900e6 * std::log(2.0);
  const auto strings = static_cast<int>(std::ceil(bits / 0x1p32));
  return {
      .post = "redis",
      .what = "bits and probes for 900,000,000 keys at 0.1 %",
      .theirs = "12939828810 bits, 9.96 probes",
      .ours = fmt::format("{:.0f} bits, {:.3f} probes", bits, probes),
      .verdict = Verdict::right,
      .remark = fmt::format("As one bitmap it cannot be had: a string of Redis ends at 2^32 bits, "
                            "so it takes {}.",
                            strings),
      .numbers = {{"bit_count", bits}, {"probe_count", probes}, {"redis_strings", strings}}};
}

std::string decimal(std::uint64_t i) {
  return std::to_string(i);
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
    insert_range(filter, 0, kKeys, decimal);
    measured.push_back(static_cast<double>(count_present(filter, 10 * kKeys, 20 * kKeys, decimal)) /
                       (10 * kKeys));
  }
  return {.post = "redis",
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

// Half of the bits are set at capacity, so 3/4 at twice it.
double rate_at_twice(double rate) {
  return std::pow(0.75, -std::log2(rate));
}

Figure overfilled() {
  return {.post = "redis",
          .what = "rates of 10 %, 1 % and 0.1 % when twice as many keys are in",
          .theirs = "close to 40 %, 15 % and 5 %",
          .ours = fmt::format("{:.1f} %, {:.1f} % and {:.1f} %", 100 * rate_at_twice(0.1),
                              100 * rate_at_twice(0.01), 100 * rate_at_twice(0.001)),
          .verdict = Verdict::right,
          .remark = "Near enough: three quarters of the bits are set then, and it is (3/4)^k.",
          .numbers = {{"rates", {rate_at_twice(0.1), rate_at_twice(0.01), rate_at_twice(0.001)}}}};
}

}  // namespace

std::vector<Figure> figures_of_redis(const FigureSizes& sizes) {
  return {
      first_too_early(),
      random_text_figure("RedisBloom, made by the first BF.ADD, 50,000 random texts: false "
                         "positives among 50,000 others",
                         "628 of 50,000", {},
                         "Filters differ: most of their mistakes are those of the first link, "
                         "which has a hundred keys.",
                         sizes.filters),
      random_text_figure("RedisBloom, BF.RESERVE 0.001 50000, the same",
                         "6 of 50,000, about 0.012 %", {.capacity = 50'000, .error_rate = 0.001},
                         "Then a power of two gave it half as many bits again, and 3 were to be "
                         "expected; today the first link has half the asked rate, and 25 are.",
                         sizes.filters),
      size_for_900_million(),
      rule_of_the_rate(),
      overfilled(),
      memory_of_a_set(sizes.keys)};
}

}  // namespace bloomery::cli
