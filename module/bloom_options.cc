// SPDX-License-Identifier: Apache-2.0
#include "module/bloom_options.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "bloomery/format/kinds.h"

namespace bloomery::module {
namespace {

// The words behind the capacity, each of them once.
struct Given {
  std::optional<std::string_view> layout, seed, tightening, expansion, expires, window, generations;
  bool secret = false;
  bool only_if_new = false;
  bool counting = false;
};

struct ValueWord {
  std::string_view name;
  std::optional<std::string_view> Given::*value;
};
constexpr std::array<ValueWord, 7> kValueWords{{{"LAYOUT", &Given::layout},
                                                {"SEED", &Given::seed},
                                                {"TIGHTENING", &Given::tightening},
                                                {"EXPANSION", &Given::expansion},
                                                {"EX", &Given::expires},
                                                {"WINDOW", &Given::window},
                                                {"GENERATIONS", &Given::generations}}};
struct Flag {
  std::string_view name;
  bool Given::*value;
};
constexpr std::array<Flag, 3> kFlags{
    {{"SECRET", &Given::secret}, {"NX", &Given::only_if_new}, {"COUNTING", &Given::counting}}};

[[noreturn]] void refuse(const std::string& reason) {
  throw Refusal("ERR " + reason);
}

Given words_given(std::span<const std::string_view> words) {
  Given given;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto named = [&](const auto& each) { return same_word(words[i], each.name); };
    if (const auto flag = std::ranges::find_if(kFlags, named); flag != kFlags.end()) {
      if (given.*flag->value) refuse(std::string(flag->name) + " stands twice");
      given.*flag->value = true;
      continue;
    }
    const auto word = std::ranges::find_if(kValueWords, named);
    if (word == kValueWords.end()) {
      refuse(
          "unknown option; there are LAYOUT, SEED, SECRET, TIGHTENING, EXPANSION, NX, EX, "
          "COUNTING, WINDOW and GENERATIONS");
    }
    if (given.*word->value) refuse(std::string(word->name) + " stands twice");
    if (i + 1 == words.size()) refuse(std::string(word->name) + " has no value");
    given.*word->value = words[++i];
  }
  return given;
}

double real(std::string_view name, std::string_view text) {
  const auto value = parse_real(text);
  if (!value) refuse(std::string(name) + " must be a number");
  return *value;
}

// Returns whether the words ask for a filter that grows.
bool grows(const Given& given) {
  if (given.expansion) return real("EXPANSION", *given.expansion) != 0;
  const bool is_classic = given.layout && same_word(*given.layout, "classic");
  return !is_classic && !given.counting && !given.window;
}

FilterKind kind_asked_by(const Given& given) {
  const bool is_classic = given.layout && same_word(*given.layout, "classic");
  if (given.layout && !is_classic && !same_word(*given.layout, "blocked")) {
    refuse("LAYOUT must be blocked or classic");
  }
  if (given.window) {
    if (given.counting) refuse("a filter is either COUNTING or has a WINDOW");
    if (is_classic) refuse("a filter with a WINDOW has no LAYOUT classic");
    if (grows(given)) refuse("a filter with a WINDOW does not grow: EXPANSION 0, or none");
    return FilterKind::windowed;
  }
  if (given.generations) refuse("GENERATIONS are those of a WINDOW");
  if (given.counting) {
    if (grows(given)) refuse("a COUNTING filter does not grow: EXPANSION 0, or none");
    return is_classic ? FilterKind::classic_counting : FilterKind::counting;
  }
  if (!grows(given)) return is_classic ? FilterKind::classic : FilterKind::blocked;
  if (is_classic) refuse("a filter of LAYOUT classic does not grow: EXPANSION 0, or none");
  return FilterKind::scalable;
}

}  // namespace

BloomReserve parse_bloom_reserve(std::span<const std::string_view> words,
                                 const Settings& settings) {
  constexpr std::size_t kFirstOption = 4;
  BloomReserve asked;
  asked.filter.false_positive_rate = real("the error rate", words[2]);
  if (!(asked.filter.false_positive_rate >= kMinRate && asked.filter.false_positive_rate < 1)) {
    refuse("the error rate must be from 1e-25 to below 1");
  }
  asked.filter.capacity = parse_whole("the capacity", words[3], 1, settings.most_capacity);

  const Given given = words_given(words.subspan(kFirstOption));
  asked.kind = kind_asked_by(given);
  asked.terms.only_if_new = given.only_if_new;
  if (given.seed && given.secret) refuse("a filter has either a SEED or is SECRET");
  if (given.seed) asked.filter.seed = parse_whole("SEED", *given.seed, 0, ~std::uint64_t{0});
  asked.filter.secret = given.secret;
  if (kind_of(asked.kind).has_layers) {
    if (given.expansion) asked.filter.growth.expansion = real("EXPANSION", *given.expansion);
    if (given.tightening) asked.filter.growth.tightening = real("TIGHTENING", *given.tightening);
  } else if (given.tightening) {
    refuse("TIGHTENING is that of a filter that grows");
  }
  if (given.expires) asked.terms.expires_after_ms = parse_expiry(*given.expires);
  if (given.window) {
    asked.filter.window.length_ms =
        kSecondMs * parse_whole("WINDOW", *given.window, 1, kMostSeconds);
    if (given.generations) {
      asked.filter.window.generations =
          static_cast<std::uint32_t>(parse_whole("GENERATIONS", *given.generations, 1, 7));
    }
  }
  return asked;
}

}  // namespace bloomery::module
