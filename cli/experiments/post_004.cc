// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "bloomery/format/php.h"
#include "cli/experiments/figure.h"
#include "cli/experiments/key_ranges.h"

namespace bloomery::cli {
namespace {

constexpr const char* kPost004 = "004";

// Three hashes, 1,000,000 keys, a bitmap of 1 MiB.
Figure limit_of_the_rate() {
  const double load = 3 * 1e6 / 0x1p23;
  const double bound = load * load * load;
  const double fill = -std::expm1(-load);
  const double exact = fill * fill * fill;
  return {.post = kPost004,
          .what = "three hashes, 1,000,000 keys in 1 MiB: the limit of the rate",
          .theirs = "(3n/m)^3 = 4.57 %, \"about 60 % of it in practice\"",
          .ours = fmt::format("(1 - e^(-3n/m))^3 = {:.2f} %; the bound is {:.2f} %", 100 * exact,
                              100 * bound),
          .verdict = Verdict::wrong,
          .remark = fmt::format(
              "A bound that counts bits twice where keys share them. The rate is {:.0f} "
              "% of it by the formula itself, with hashes as good as random.",
              100 * exact / bound),
          .numbers = {{"bound", bound}, {"rate", exact}}};
}

// Every other number, so that every absent key has neighbours.
Figure three_hashes() {
  const auto member = [](std::uint64_t i) { return fmt::format("商品-{:06}", 2 * i); };
  const auto stranger = [](std::uint64_t i) { return fmt::format("商品-{:06}", 2 * i + 1); };
  constexpr std::uint64_t kKeys = 1000;
  AnyFilter filter = php::kFormat.create({.capacity = 1'000'000, .false_positive_rate = 0.03},
                                         {{"size_kb", "1024"}});
  insert_range(filter, 0, kKeys, member);
  const std::uint64_t positives = count_present(filter, 0, kKeys, stranger);
  return {.post = kPost004,
          .what = "three hashes (BKDR, JS, SDBM) for product keys such as 商品-000123",
          .theirs = "three hashes, for any keys",
          .ours = fmt::format("{} of {} absent keys found, among 1,000 in 1 MiB", positives, kKeys),
          .verdict = Verdict::wrong,
          .remark =
              "PHP's integers overflow into floats, and BKDR ignores what follows about nine "
              "bytes. Share such filters where they are; make new ones otherwise.",
          .numbers = {{"false_positives", positives}, {"asked", kKeys}}};
}

}  // namespace

std::vector<Figure> figures_of_post_004() {
  return {limit_of_the_rate(), three_hashes()};
}

}  // namespace bloomery::cli
