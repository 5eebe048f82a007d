// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "bloomery/bits/bit_view.h"
#include "bloomery/format/bloom_filter_helper.h"
#include "bloomery/format/guava.h"
#include "bloomery/format/mitz_probes.h"
#include "bloomery/format/simple_java.h"
#include "cli/experiments/figure.h"
#include "cli/experiments/inverted_guard.h"
#include "cli/experiments/key_ranges.h"

namespace bloomery::cli {
namespace {

std::uint64_t ones(const AnyFilter& filter) {
  return BitView(filter.contents().words.front()).count_ones();
}

std::string java_int(std::uint64_t i) {
  return guava::integer_key(static_cast<std::int32_t>(i));
}

std::string digits(std::uint64_t i) {
  return std::to_string(i);
}

Figure guava_integers() {
  AnyFilter filter = guava::create(10'000'000, 0.03);
  insert_range(filter, 0, 10'000'000, java_int);
  const std::uint64_t positives = count_present(filter, 11'000'000, 12'000'000, java_int);
  const Geometry& geometry = filter.geometry();
  return {.post = "guava",
          .what =
              "Guava, the Integers below 10,000,000 at its default of 3 %: rate among those from "
              "11 to 12 million",
          .theirs = "0.029828",
          .ours = fmt::format("{} of 1000000; {} of {} bits set, {} probes", positives,
                              ones(filter), geometry.bit_count, geometry.probe_count),
          .verdict = Verdict::right,
          .remark = "The same to the last key: the keys and the bits are the same.",
          .numbers = {{"false_positives", positives},
                      {"asked", 1'000'000},
                      {"bit_count", geometry.bit_count},
                      {"bits_set", ones(filter)},
                      {"probe_count", geometry.probe_count}}};
}

Figure guava_sizes() {
  const auto bits = [](double rate) {
    return static_cast<std::uint64_t>(mitz_bit_count(1'000'000, rate));
  };
  const auto array = [](double rate) {
    return guava::geometry(1'000'000, rate, guava::ProbeRule::from_rate).bit_count;
  };
  return {.post = "guava",
          .what = "Guava, bits for 1,000,000 keys at 2 % and at 3 %",
          .theirs = "8142363 and 7298440, below a capacity of 10000000",
          .ours = fmt::format("{} and {}, in arrays of {} and {}", bits(0.02), bits(0.03),
                              array(0.02), array(0.03)),
          .verdict = Verdict::right,
          .remark =
              "Right for 1,000,000 keys, a tenth of the capacity that the code has, and before "
              "Guava rounds up to whole longs.",
          .numbers = {{"bit_counts", {bits(0.02), bits(0.03)}},
                      {"array_bits", {array(0.02), array(0.03)}}}};
}

Figure simple_java_digits() {
  AnyFilter filter = simple_java::kFormat.create({.capacity = 2'000'000}, {});
  insert_range(filter, 0, 2'000'000, digits);
  const std::uint64_t positives = count_present(filter, 2'000'000, 4'000'000, digits);
  return {
      .post = "guava",
      .what = "SimpleBloomFilter, \"0\" to \"1999999\": rate among \"2000000\" to \"3999999\"",
      .theirs = "0.01415 %",
      .ours = fmt::format("{} of 2000000; {} bits set", positives, ones(filter)),
      .verdict = Verdict::right,
      .remark = fmt::format(
          "The same to the last key; and {:.1f} times what eight independent hashes would have.",
          static_cast<double>(positives) / 2e6 /
              std::pow(static_cast<double>(ones(filter)) / 0x1p25, 8)),
      .numbers = {
          {"false_positives", positives}, {"asked", 2'000'000}, {"bits_set", ones(filter)}}};
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
  return {.post = "guava",
          .what = "times of look-ups among 1,000,000 keys in memory",
          .theirs = "304000 and 15311602 \"微秒\" (microseconds)",
          .ours = fmt::format("{} ns, of which the clock itself takes a part", median),
          .verdict = Verdict::wrong,
          .remark =
              "Differences of System.nanoTime() are nanoseconds: 0.304 ms and 15.3 ms, where the "
              "unit that is printed makes 0.3 s and 15 s of them.",
          .numbers = {{"median_ns", median}}};
}

Report::Value cost_json(const GuardCost& cost) {
  return {{"queries", cost.queries},
          {"denied_rows", cost.denied_rows},
          {"denied_new_rows", cost.denied_new}};
}

Figure guard_of_absent_keys() {
  const GuardsCompared guards = compare_guards(100'000, 200'000, 1'000);
  const auto line = [&](const char* holds, const GuardCost& cost) {
    return fmt::format("filter of the {} keys: {} queries; denied {} of {} rows, {} of {} new ones",
                       holds, cost.queries, cost.denied_rows, guards.row_count, cost.denied_new,
                       guards.new_count);
  };
  return {
      .post = "guava",
      .what =
          "getByKey, 200,000 absent keys asked for twice, before 100,000 rows: a filter of what "
          "was not found",
      .theirs = "getByKey before a database, without a figure",
      .ours = line("absent", guards.holds_absent) + "\n" + line("present", guards.holds_present),
      .verdict = Verdict::wrong,
      .remark =
          "A false positive of a filter that holds the absent keys is a row that nobody finds, "
          "the more the longer the flood goes on, and a row that comes later is never seen. "
          "Of one that holds the present keys it is one query.",
      .numbers = {{"row_count", guards.row_count},
                  {"flood_count", guards.flood_count},
                  {"new_count", guards.new_count},
                  {"holds_absent", cost_json(guards.holds_absent)},
                  {"holds_present", cost_json(guards.holds_present)}}};
}

}  // namespace

std::vector<Figure> figures_of_guava() {
  return {guava_integers(), guava_sizes(), simple_java_digits(), clock_of_a_look_up(),
          guard_of_absent_keys()};
}

}  // namespace bloomery::cli
