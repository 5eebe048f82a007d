// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "bloomery/bits/bit_view.h"
#include "bloomery/format/javascript.h"
#include "cli/experiments/figure.h"
#include "cli/experiments/key_ranges.h"

namespace bloomery::cli {
namespace {

constexpr const char* kPost002 = "002";
constexpr std::uint64_t kWords = 1000;

// 1,000 words are added and 1,000 others asked for.
struct Outcome {
  std::uint64_t ones = 0;
  std::uint64_t positives = 0;
};

Outcome with_words(const Format& format) {
  const auto word = [](std::uint64_t i) { return "user" + std::to_string(i); };
  AnyFilter filter = format.create({.capacity = kWords}, {});
  insert_range(filter, 0, kWords, word);
  return {.ones = BitView(filter.contents().words.front()).count_ones(),
          .positives = count_present(filter, kWords, 2 * kWords, word)};
}

}  // namespace

std::vector<Figure> figures_of_post_002() {
  const Outcome published = with_words(javascript::kFormat);
  const Outcome meant = with_words(javascript::kSaneFormat);
  return {{.post = kPost002,
           .what = "JavaScript class, \"user0\" to \"user999\": found of 1,000 others",
           .theirs = "eight hashes into 2^30 bits, for any words",
           .ours = fmt::format("as printed: {} of {}, {} bit set\nas meant: {} of {}, {} bits set",
                               published.positives, kWords, published.ones, meant.positives, kWords,
                               meant.ones),
           .verdict = Verdict::wrong,
           .remark =
               "charAt gives a text, so + appends it; a letter makes NaN of the number, and NaN & "
               "anything is 0. Every word is that one bit. charCodeAt was meant.",
           .numbers = {{"published",
                        {{"false_positives", published.positives}, {"bits_set", published.ones}}},
                       {"meant", {{"false_positives", meant.positives}, {"bits_set", meant.ones}}},
                       {"asked", kWords}}}};
}

}  // namespace bloomery::cli
