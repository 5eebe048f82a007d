// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>
#include <utility>

#include "bloomery/bits/bit_view.h"
#include "bloomery/format/javascript.h"
#include "cli/experiments/figure.h"
#include "cli/experiments/key_ranges.h"

namespace bloomery::cli {
namespace {

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

Figure words_of_letters() {
  const Outcome published = with_words(javascript::kFormat);
  const Outcome meant = with_words(javascript::kSaneFormat);
  return {.post = "javascript",
          .what = "JavaScript class, \"user0\" to \"user999\": found of 1,000 others",
          .theirs = "eight functions (3 5 7 11 13 31 37 61) into 256 << 22 bits, about 10^9",
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
                      {"asked", kWords}}};
}

// A new filter gets `member`; whether `member` and `other` are found then.
std::pair<bool, bool> added_and_asked(Key member, Key other) {
  AnyFilter filter = javascript::kFormat.create({.capacity = kWords}, {});
  filter.insert(member);
  return {filter.may_contain(member), filter.may_contain(other)};
}

std::string answers(Key member, Key other) {
  const auto [of_member, of_other] = added_and_asked(member, other);
  const auto word = [](bool found) { return found ? "found" : "not found"; };
  return fmt::format("\"{}\" is added: it is {}, \"{}\" is {}", member, word(of_member), other,
                     word(of_other));
}

Figure own_test() {
  return {
      .post = "javascript",
      .what = "JavaScript class, as its own test asks: one value added, it and another asked for",
      .theirs = "three lines of a test, without a figure",
      .ours = answers("5", "6") + "\n" + answers("alice", "bob"),
      .verdict = Verdict::wrong,
      .remark =
          "Such a test passes where values are numbers of up to a dozen digits. Of values with a "
          "letter, the class finds every one as soon as it has one.",
      .numbers = {
          {"digits", {added_and_asked("5", "6").first, added_and_asked("5", "6").second}},
          {"letters",
           {added_and_asked("alice", "bob").first, added_and_asked("alice", "bob").second}}}};
}

}  // namespace

std::vector<Figure> figures_of_javascript() {
  return {own_test(), words_of_letters()};
}

}  // namespace bloomery::cli
