// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/patterns/pattern_rate.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "bloomery/filter/blocked_filter.h"
#include "bloomery/filter/rates.h"

namespace bloomery::bench {
namespace {

constexpr std::uint64_t kChunk = 1 << 16;
constexpr double kAllowed = 1.02;
constexpr double kDeviations = 3;

// Random keys that no pattern has among its first.
constexpr std::uint64_t kRandomStrangers = std::uint64_t{7} << 40;

struct Count {
  double positives = 0;
  double asked = 0;

  double share() const noexcept { return positives / asked; }
};

void fill(BlockedFilter& filter, const RatePattern& pattern, std::uint64_t keys) {
  for (std::uint64_t first = 0; first < keys; first += kChunk) {
    visit_keys(pattern.make(first, std::min(kChunk, keys - first)),
               [&](auto some) { filter.insert_many(some); });
  }
}

// Asks for the `count` keys from `first` on.
void ask(const BlockedFilter& filter, const RatePattern& pattern, std::uint64_t first,
         std::uint64_t count, bool* answers, Count& sum) {
  for (std::uint64_t done = 0; done < count; done += kChunk) {
    const std::span<bool> found(answers, std::min(kChunk, count - done));
    visit_keys(pattern.make(first + done, found.size()),
               [&](auto some) { filter.may_contain_many(some, found); });
    sum.positives += static_cast<double>(std::ranges::count(found, true));
  }
  sum.asked += static_cast<double>(count);
}

}  // namespace

bool PatternRate::is_over() const noexcept {
  return same > kAllowed + kDeviations * deviation ||
         random > kAllowed + kDeviations * random_deviation;
}

std::optional<PatternRate> measure_pattern(const RatePattern& pattern,
                                           const RateQuestion& question) {
  if (pattern.count / 2 < question.keys) return {};
  const RatePattern random = integers("", kEveryNumber, scramble);
  const auto answers = std::make_unique<bool[]>(kChunk);
  RateMoments expected;
  Count same;
  Count others;
  for (std::uint64_t i = 0; i < question.filters; ++i) {
    BlockedFilter filter({.capacity = question.keys,
                          .false_positive_rate = question.rate,
                          .seed = i == 0 ? 0 : scramble(i),
                          .hash = question.hash});
    expected = rate_moments(filter.geometry(), static_cast<double>(question.keys));
    fill(filter, pattern, question.keys);
    const auto wanted = static_cast<std::uint64_t>(
        static_cast<double>(question.positives / question.filters) / expected.mean);
    ask(filter, pattern, question.keys, std::min(wanted, pattern.count - question.keys),
        answers.get(), same);
    ask(filter, random, kRandomStrangers + i * (std::uint64_t{1} << 34), wanted / 2, answers.get(),
        others);
  }
  const double luck_of_lines =
      expected.variance / (expected.mean * expected.mean) / static_cast<double>(question.filters);
  const auto deviation = [&](const Count& count) {
    return std::sqrt(1 / (count.asked * expected.mean) + luck_of_lines);
  };
  return PatternRate{.same = same.share() / expected.mean,
                     .random = others.share() / expected.mean,
                     .deviation = deviation(same),
                     .random_deviation = deviation(others)};
}

}  // namespace bloomery::bench
