// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "bloomery/format/bloom_filter_helper.h"
#include "bloomery/format/guava.h"
#include "cli/experiments/figure.h"
#include "cli/experiments/key_ranges.h"
#include "cli/experiments/repeated_trials.h"

namespace bloomery::cli {
namespace {

Figure helper_digits() {
  const auto digits = [](std::uint64_t i) { return std::to_string(i); };
  AnyFilter filter =
      bloom_filter_helper::kFormat.create({.capacity = 1000, .false_positive_rate = 0.1}, {});
  insert_range(filter, 0, 100, digits);
  const std::uint64_t missed = 1000 - count_present(filter, 0, 1000, digits);
  const std::uint64_t missed_members = 100 - count_present(filter, 0, 100, digits);
  const Geometry& geometry = filter.geometry();
  return {.post = "penetration",
          .what =
              "BloomFilterHelper, 1,000 expected at 0.1, with \"0\" to \"99\": missed of \"0\" to "
              "\"999\"",
          .theirs = "prints how many are missed; the number is in a picture",
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
  // Questions are cheaper than filters: of each, 25 times those of the article.
  constexpr std::uint64_t kRounds = 25;
  constexpr std::uint64_t kMembers = 100;
  std::uint64_t members = 0;
  RepeatedTrials trials{.asked = kAsked};
  for (std::uint64_t seed = 1; seed <= filter_count; ++seed) {
    const auto make = [&](std::uint64_t i) { return random_uuid(seed, i); };
    AnyFilter filter = guava::create(kKeys, 0.02);
    insert_range(filter, 0, kKeys, make);
    members += count_present(filter, 0, kMembers, make);
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      const std::uint64_t from = kKeys + round * kAsked;
      trials.positives.push_back(count_present(filter, from, from + kAsked, make));
    }
  }
  return {
      .post = "penetration",
      .what = "Guava, 1,000,000 UUIDs at 0.02: found of members and of others",
      .theirs = "100 of 100 members, 216 of 9,900 others",
      .ours = fmt::format("{} of {} members\n{}", members, filter_count * kMembers, trials.text()),
      .verdict = Verdict::plausible,
      .remark = "As luck has it: 199 are expected, and 216 is 1.2 standard deviations more.",
      .numbers = trials.numbers()};
}

Figure one_byte_elements() {
  const double gibibytes = 1e9 / 0x1p30;
  return {.post = "penetration",
          .what = "memory of 10^9 elements of one byte in a list or a map",
          .theirs = "about 900 G",
          .ours = fmt::format("{:.2f} GiB of elements", gibibytes),
          .verdict = Verdict::wrong,
          .remark = "10^9 bytes are one gigabyte; 900 of them are 900 bytes an element.",
          .numbers = {{"gibibytes", gibibytes}}};
}

}  // namespace

std::vector<Figure> figures_of_penetration(std::uint64_t filter_count) {
  return {helper_digits(), guava_uuids(filter_count), one_byte_elements()};
}

}  // namespace bloomery::cli
