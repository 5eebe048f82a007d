// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "bloomery/format/bloom_filter_helper.h"
#include "bloomery/format/guava.h"
#include "cli/experiments/figure.h"
#include "cli/experiments/key_ranges.h"
#include "cli/experiments/repeated_trials.h"

namespace bloomery::cli {
namespace {

constexpr const char* kPost003 = "003";

Figure helper_digits() {
  const auto digits = [](std::uint64_t i) { return std::to_string(i); };
  AnyFilter filter =
      bloom_filter_helper::kFormat.create({.capacity = 1000, .false_positive_rate = 0.1}, {});
  insert_range(filter, 0, 100, digits);
  const std::uint64_t missed = 1000 - count_present(filter, 0, 1000, digits);
  const std::uint64_t missed_members = 100 - count_present(filter, 0, 100, digits);
  const Geometry& geometry = filter.geometry();
  return {.post = kPost003,
          .what =
              "BloomFilterHelper for 1,000 keys at 10 %, with \"0\" to \"99\": not found of "
              "\"0\" to \"999\"",
          .theirs = "900; 4792 bits, 3 probes",
          .ours = fmt::format("{}, of which {} were added; {} bits, {} probes", missed,
                              missed_members, geometry.bit_count, geometry.probe_count),
          .verdict = Verdict::right,
          .remark =
              "Exactly those that were never added: with a tenth of its keys a filter makes "
              "hardly a mistake.",
          .numbers = {{"missed", missed},
                      {"missed_members", missed_members},
                      {"bit_count", geometry.bit_count},
                      {"probe_count", geometry.probe_count}}};
}

Figure guava_uuids(std::uint64_t filter_count) {
  constexpr std::uint64_t kKeys = 1'000'000;
  constexpr std::uint64_t kAsked = 9'900;
  // Questions are cheaper than filters: of each, 25 times those of the post.
  constexpr std::uint64_t kRounds = 25;
  RepeatedTrials trials{.asked = kAsked};
  for (std::uint64_t seed = 1; seed <= filter_count; ++seed) {
    const auto make = [&](std::uint64_t i) { return random_uuid(seed, i); };
    AnyFilter filter = guava::create(kKeys, 0.02);
    insert_range(filter, 0, kKeys, make);
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      const std::uint64_t from = kKeys + round * kAsked;
      trials.positives.push_back(count_present(filter, from, from + kAsked, make));
    }
  }
  return {.post = kPost003,
          .what = "Guava, 1,000,000 UUIDs at 2 %: false positives among 9,900 others",
          .theirs = "216",
          .ours = trials.text(),
          .verdict = Verdict::plausible,
          .remark = "As luck has it: 199 are expected, and 216 is 1.2 standard deviations more.",
          .numbers = trials.numbers()};
}

Figure one_byte_elements() {
  const double gibibytes = 1e9 / 0x1p30;
  return {.post = kPost003,
          .what = "memory of 10^9 elements of one byte",
          .theirs = "900 G",
          .ours = fmt::format("{:.2f} GiB", gibibytes),
          .verdict = Verdict::wrong,
          .remark = "10^9 bytes are one gigabyte, not nine hundred.",
          .numbers = {{"gibibytes", gibibytes}}};
}

}  // namespace

std::vector<Figure> figures_of_post_003(std::uint64_t filter_count) {
  return {helper_digits(), guava_uuids(filter_count), one_byte_elements()};
}

}  // namespace bloomery::cli
