// SPDX-License-Identifier: Apache-2.0
// ./run bench --rates: whether keys of many shapes keep the rate that random ones have.
#include <fmt/core.h>

#include <cstdio>
#include <regex>
#include <string>
#include <vector>

#include "benchmarks/machine.h"
#include "benchmarks/patterns/pattern_rate.h"
#include "benchmarks/patterns/settings.h"
#include "benchmarks/program.h"

namespace bloomery::bench {
namespace {

// Small filters differ by luck: more of them are asked.
std::uint64_t filters_for(std::uint64_t keys) {
  if (keys <= 10'000) return 32;
  if (keys <= 100'000) return 4;
  return keys <= 1'000'000 ? 2 : 1;
}

struct Summary {
  std::size_t asked = 0;
  std::size_t over = 0;
  double worst = 0;
  std::string worst_pattern;

  void add(const std::string& pattern, const PatternRate& rate) {
    ++asked;
    if (rate.is_over()) ++over;
    if (rate.worst() > worst) {
      worst = rate.worst();
      worst_pattern = pattern;
    }
  }
};

void print_pattern(const std::string& pattern, const PatternRate& rate) {
  fmt::print("  {:<30} {:.3f} +- {:.3f}, random strangers {:.3f} +- {:.3f}{}\n", pattern, rate.same,
             rate.deviation, rate.random, rate.random_deviation, rate.is_over() ? "  OVER" : "");
  std::fflush(stdout);
}

// Returns how many patterns are over.
std::size_t measure(const std::vector<RatePattern>& patterns, RateQuestion question, bool all) {
  question.filters = filters_for(question.keys);
  Summary summary;
  for (const RatePattern& pattern : patterns) {
    const auto rate = measure_pattern(pattern, question);
    if (!rate) continue;
    summary.add(pattern.name, *rate);
    if (all || rate->is_over()) print_pattern(pattern.name, *rate);
  }
  fmt::print("{:>12} keys at {:g}, {:<16} {} of {} patterns over, worst {:.3f} ({})\n",
             question.keys, question.rate, hash_name(question.hash), summary.over, summary.asked,
             summary.worst, summary.worst_pattern);
  std::fflush(stdout);
  return summary.over;
}

int run(const RateSettings& settings) {
  std::vector<RatePattern> patterns = rate_patterns();
  const std::regex wanted(settings.pattern);
  std::erase_if(patterns, [&](const auto& each) { return !std::regex_search(each.name, wanted); });
  fmt::print("{}\nrates of blocked filters at capacity, as a share of what random keys give:\n",
             this_machine().description());
  std::size_t over = 0;
  for (const double rate : settings.rates) {
    for (const std::uint64_t keys : settings.keys) {
      for (const HashId hash : settings.hashes) {
        over += measure(patterns,
                        {.hash = hash, .keys = keys, .rate = rate, .positives = settings.positives},
                        settings.all);
      }
    }
  }
  return over == 0 ? 0 : 1;
}

}  // namespace
}  // namespace bloomery::bench

int main(int argc, char** argv) {
  using namespace bloomery::bench;
  const Program program{
      .name = "./run bench --rates",
      .description =
          "Measures whether blocked filters keep their rate with keys of many shapes: 113 patterns "
          "of\n"
          "integers, and the keys of `bloomery measure`. Strangers are the keys that follow in "
          "the\n"
          "same pattern, and random ones. Without options it takes hours.\n"
          "Exit status: 0, or 1 when a pattern is above 1.02 by more than three standard "
          "deviations\n"
          "of luck, or 2 for a mistake on the command line or a fault.",
      .footer =
          "Examples:\n"
          "  ./run bench --rates --keys 100000 --rate 0.01\n"
          "  ./run bench --rates --keys 1000000 --hash fold --pattern 'double|IPv' --all"};
  RateSettings settings;
  return run_program(
      program, argc, argv, [&](bloomery::cli::Command command) { add_settings(command, settings); },
      [&] { return run(settings); });
}
