// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "bloomery/bits/bit_view.h"
#include "bloomery/format/bloom_filter_helper.h"
#include "cli/experiments/figure.h"
#include "cli/experiments/key_ranges.h"

namespace bloomery::cli {
namespace {

std::string plain_number(std::uint64_t i) {
  return std::to_string(i);
}

Figure share_of_bits() {
  constexpr std::uint64_t kKeys = 1000;
  AnyFilter filter =
      bloom_filter_helper::kFormat.create({.capacity = kKeys, .false_positive_rate = 0.01}, {});
  insert_range(filter, 0, kKeys, plain_number);
  const auto m = static_cast<double>(filter.geometry().bit_count);
  const double kn = filter.geometry().probe_count * static_cast<double>(kKeys);
  const std::uint64_t ones = BitView(filter.contents().words.front()).count_ones();
  const double set = static_cast<double>(ones) / m;
  const double printed = 1 - std::pow(1 / m, kn);
  const double right = 1 - std::pow(1 - 1 / m, kn);
  return {
      .post = "claims",
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

}  // namespace

std::vector<Figure> figures_of_repeated_claims() {
  return {share_of_bits()};
}

}  // namespace bloomery::cli
