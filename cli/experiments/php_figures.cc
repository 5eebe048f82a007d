// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>

#include "bloomery/format/php.h"
#include "cli/experiments/figure.h"
#include "cli/experiments/key_ranges.h"
#include "cli/split_mix.h"

namespace bloomery::cli {
namespace {

constexpr std::uint64_t kMillion = 1'000'000;

AnyFilter filter_of_1_mib() {
  return php::kFormat.create({.capacity = kMillion, .false_positive_rate = 0.03},
                             {{"size_kb", "1024"}});
}

// Three hashes, 1,000,000 keys, a bitmap of 1 MiB.
Figure limit_of_the_rate() {
  const double load = 3 * 1e6 / 0x1p23;
  const double bound = load * load * load;
  const double fill = -std::expm1(-load);
  const double exact = fill * fill * fill;
  return {.post = "php",
          .what = "three hashes, 1,000,000 keys in 1 MiB: the limit of the rate, and the rate",
          .theirs = "the limit (3n/m)^3 is 4.57 %; the rate is guessed at 60 % of it, 2.74 %",
          .ours = fmt::format("(1 - e^(-3n/m))^3 = {:.2f} %, which is {:.0f} % of {:.2f} %",
                              100 * exact, 100 * exact / bound, 100 * bound),
          .verdict = Verdict::right,
          .remark =
              "The limit counts bits twice where keys share them, so it is above the rate. That "
              "is the rate of hashes as good as random.",
          .numbers = {{"bound", bound}, {"rate", exact}}};
}

// The text that testMissRate would draw: some characters of the letters and digits.
std::string random_characters(std::uint64_t stream, std::uint64_t i, std::size_t count) {
  constexpr std::string_view kAlphabet =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  std::uint64_t number = scramble((stream << 40) + i);
  std::string text;
  for (; text.size() < count; number /= kAlphabet.size()) {
    text += kAlphabet[number % kAlphabet.size()];
  }
  return text;
}

Figure test_miss_rate() {
  constexpr std::uint64_t kStrangers = 10'000;
  const auto member = [](std::uint64_t i) { return random_characters(1, i, 10); };
  const auto stranger = [&](std::uint64_t i) { return member(i) + random_characters(2, i, 3); };
  AnyFilter filter = filter_of_1_mib();
  insert_range(filter, 0, kMillion, member);
  const std::uint64_t positives = count_present(filter, 0, kStrangers, stranger);
  return {
      .post = "php",
      .what =
          "testMissRate: 1,000,000 random strings of 10 characters in 1,024 KB; found of 10,000 "
          "strangers, each a member and 3 characters",
      .theirs = "less than 0.05",
      .ours = fmt::format("{} of {}: {:.4f}", positives, kStrangers,
                          static_cast<double>(positives) / kStrangers),
      .verdict = Verdict::right,
      .remark = "As the formula has it: random strings differ in their first characters.",
      .numbers = {{"false_positives", positives}, {"asked", kStrangers}}};
}

std::string product(std::uint64_t i) {
  return fmt::format("商品-{:06}", i);
}

// How many of a thousand absent products are found beside a thousand others, numbered by `number`.
std::uint64_t products_found(std::uint64_t (*of_member)(std::uint64_t),
                             std::uint64_t (*of_stranger)(std::uint64_t)) {
  AnyFilter filter = filter_of_1_mib();
  insert_range(filter, 0, 1000, [=](std::uint64_t i) { return product(of_member(i)); });
  return count_present(filter, 0, 1000, [=](std::uint64_t i) { return product(of_stranger(i)); });
}

Figure three_hashes() {
  const std::uint64_t odd = products_found([](std::uint64_t i) { return 2 * i; },
                                           [](std::uint64_t i) { return 2 * i + 1; });
  const std::uint64_t beside =
      products_found([](std::uint64_t i) { return i; }, [](std::uint64_t i) { return 1000 + i; });
  return {
      .post = "php",
      .what = "three hashes (BKDR, JS, SDBM) for product keys, 商品-000000 and on, in 1 MiB",
      .theirs = "three SETBITs a record; for redirects and remote postcodes",
      .ours = fmt::format("the even numbers below 2,000 are in: {} of 1,000 odd ones are found"
                          "\n000000 to 000999 are in: {} of 001000 to 001999 are found",
                          odd, beside),
      .verdict = Verdict::wrong,
      .remark =
          "PHP's integers overflow into floats, and BKDR ignores what follows about nine "
          "bytes: keys that differ in their last characters only share their bits. Postcodes are "
          "short enough, URLs are not. Share such filters where they are; make new ones "
          "otherwise.",
      .numbers = {{"odd_among_even", odd}, {"range_beside", beside}, {"asked", 1000}}};
}

}  // namespace

std::vector<Figure> figures_of_php(const FigureSizes& sizes) {
  return {limit_of_the_rate(), test_miss_rate(), three_hashes(), setbit_times(sizes.records)};
}

}  // namespace bloomery::cli
