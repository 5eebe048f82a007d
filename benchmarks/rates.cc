// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/rates.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "benchmarks/row_result.h"
#include "benchmarks/subject.h"
#include "bloomery/filter/blocked_filter.h"
#include "bloomery/filter/classic_filter.h"

namespace bloomery::bench {
namespace {

constexpr std::uint64_t kChunk = 100'000;
// Numbers of keys for one filter, so that none shares keys with the next.
constexpr std::uint64_t kApart = std::uint64_t{1} << 34;

// Enough strangers to tell, within what there is time for.
std::uint64_t trials_for(double rate, const Settings& settings) {
  if (settings.smoke) return 20'000;
  const std::uint64_t most = settings.full_rates ? 100'000'000 : 10'000'000;
  return std::clamp(static_cast<std::uint64_t>(kEnoughPositives / rate), std::uint64_t{1'000'000},
                    most);
}

// Small filters differ by luck: some of them are asked.
std::uint64_t filters_for(std::uint64_t keys) {
  if (keys <= 10) return 64;
  return keys <= 1'000 ? 8 : 1;
}

template <class Filter>
void measure_filter(RateResult& result, std::uint64_t number, std::uint64_t trials) {
  Filter filter({.capacity = result.keys, .false_positive_rate = result.asked_rate});
  KeyMaker maker(result.pattern);
  const std::uint64_t first = number * kApart;
  for_each_batch(result.keys, kChunk, [&](std::uint64_t done, std::uint64_t count) {
    visit_keys(maker.make(first + done, count), [&](auto keys) { filter.insert_many(keys); });
  });
  const auto answers = std::make_unique<bool[]>(kChunk);
  for_each_batch(trials, kChunk, [&](std::uint64_t done, std::uint64_t count) {
    const std::span<bool> found(answers.get(), count);
    visit_keys(maker.make(first + result.keys + done, count),
               [&](auto keys) { filter.may_contain_many(keys, found); });
    result.positives += static_cast<std::uint64_t>(std::ranges::count(found, true));
  });
  result.trials += trials;
}

template <class Filter>
RateResult measure(double rate, std::uint64_t keys, Pattern pattern, const Settings& settings) {
  RateResult result{
      .kind = Filter::LayoutType::kKind, .asked_rate = rate, .keys = keys, .pattern = pattern};
  const std::uint64_t filters = filters_for(keys);
  for (std::uint64_t i = 0; i < filters; ++i) {
    measure_filter<Filter>(result, i, trials_for(rate, settings) / filters);
  }
  return result;
}

template <class Filter>
void measure_kind(const Settings& settings, const std::function<void(const RateResult&)>& visit) {
  const std::vector<std::uint64_t> sizes =
      settings.smoke ? std::vector<std::uint64_t>{1, 1'000}
                     : std::vector<std::uint64_t>{1, 10, 1'000, 1'000'000};
  for (const double rate : {0.1, 0.01, 0.001, 0.0001, 0.00001}) {
    for (const std::uint64_t keys : sizes) {
      for (const Pattern pattern : all_patterns()) {
        visit(measure<Filter>(rate, keys, pattern, settings));
      }
    }
  }
  // The default run has this size, with random keys, among its speeds.
  if (!settings.full_rates || settings.smoke) return;
  for (const Pattern pattern : all_patterns()) {
    visit(measure<Filter>(0.01, 100'000'000, pattern, settings));
  }
}

}  // namespace

double RateResult::luck() const {
  return std::sqrt((1 - asked_rate) / (static_cast<double>(trials) * asked_rate));
}

bool RateResult::is_wrong() const {
  return exceeds_rate(static_cast<double>(positives), static_cast<double>(trials), asked_rate);
}

void measure_rates(const Settings& settings, const std::function<void(const RateResult&)>& visit) {
  measure_kind<BlockedFilter>(settings, visit);
  measure_kind<ClassicFilter>(settings, visit);
}

}  // namespace bloomery::bench
