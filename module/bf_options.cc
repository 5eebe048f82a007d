// SPDX-License-Identifier: Apache-2.0
#include "module/bf_options.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace bloomery::module {
namespace {

bool is_rate(double rate) noexcept {
  return rate > 0 && rate < 1;
}

bool is_capacity(std::int64_t capacity, const Settings& settings) noexcept {
  return capacity >= 1 && static_cast<std::uint64_t>(capacity) <= settings.most_capacity;
}

// Before 8, RedisBloom took any number, of which 32 bits count.
bool is_expansion(std::int64_t expansion, const Settings& settings) noexcept {
  return settings.is_replay || (expansion >= 0 && expansion <= kMostExpansion);
}

// Before 8, RedisBloom took any rate as it was.
double lowered(double rate, const Settings& settings) noexcept {
  return settings.is_replay ? rate : std::min(rate, kMostRate);
}

constexpr std::size_t kFirstReserveOption = 4;
constexpr std::size_t kMostReserveOptions = 3;  // words, for RedisBloom

char letter(std::string_view word, std::size_t i) noexcept {
  return i < word.size() ? static_cast<char>(std::tolower(static_cast<unsigned char>(word[i])))
                         : '\0';
}

std::uint64_t capacity_in(std::string_view word, const Settings& settings) {
  const auto capacity = parse_integer(word);
  if (!capacity || !is_capacity(*capacity, settings)) throw Refusal("Bad capacity");
  return static_cast<std::uint64_t>(*capacity);
}

double rate_in(std::string_view word, const Settings& settings) {
  const auto rate = parse_real(word);
  if (!rate || !is_rate(*rate)) throw Refusal("Bad error rate");
  return lowered(*rate, settings);
}

std::uint32_t expansion_in(std::string_view word, const Settings& settings) {
  const auto expansion = parse_integer(word);
  if (!expansion || !is_expansion(*expansion, settings)) throw Refusal("Bad expansion");
  return static_cast<std::uint32_t>(*expansion);
}

}  // namespace

redisbloom::ReserveOptions usual_options(const Settings& settings) {
  return {.capacity = settings.capacity,
          .error_rate = settings.error_rate,
          .expansion = settings.expansion,
          .nonscaling = settings.expansion == 0};
}

redisbloom::ReserveOptions parse_reserve(Words words, const Settings& settings) {
  redisbloom::ReserveOptions options = usual_options(settings);
  const auto rate = parse_real(words[2]);
  if (!rate) throw Refusal("ERR bad error rate");
  if (!is_rate(*rate)) throw Refusal("ERR error rate must be in the range (0.000000, 1.000000)");
  options.error_rate = lowered(*rate, settings);

  const auto capacity = parse_integer(words[3]);
  if (!capacity) throw Refusal("ERR bad capacity");
  if (!is_capacity(*capacity, settings)) {
    throw Refusal("ERR capacity must be in the range [1, " +
                  std::to_string(settings.most_capacity) + "]");
  }
  options.capacity = static_cast<std::uint64_t>(*capacity);

  const Words optional = words.subspan(kFirstReserveOption);
  const auto find = [&](std::string_view word) {
    return std::ranges::find_if(optional,
                                [&](std::string_view each) { return same_word(each, word); });
  };
  const auto named = find("expansion");
  const bool said = find("nonscaling") != optional.end();
  const bool nonscaling = said || (settings.expansion == 0 && !settings.is_replay);
  if (named == optional.end()) {
    if (said && settings.is_replay) options.expansion = kUnsaidExpansion;
    options.nonscaling = nonscaling || options.expansion == 0;
    return options;
  }
  if (named + 1 == optional.end()) throw Refusal("ERR no expansion");
  const auto expansion = parse_integer(*(named + 1));
  if (!expansion) throw Refusal("ERR bad expansion");
  if (nonscaling && *expansion != 0 && !settings.is_replay) {
    throw Refusal("Nonscaling filters cannot expand");
  }
  if (!is_expansion(*expansion, settings)) {
    throw Refusal("ERR expansion must be in the range [0, 32768]");
  }
  options.expansion = static_cast<std::uint32_t>(*expansion);
  options.nonscaling = nonscaling || options.expansion == 0;
  return options;
}

KeyTerms parse_reserve_terms(Words words) {
  KeyTerms terms;
  std::size_t others = 0;
  for (std::size_t i = kFirstReserveOption; i < words.size(); ++i) {
    if (same_word(words[i], "nx")) {
      terms.only_if_new = true;
    } else if (same_word(words[i], "ex")) {
      if (++i == words.size()) throw Refusal("ERR no seconds behind EX");
      terms.expires_after_ms = parse_expiry(words[i]);
    } else {
      ++others;
    }
  }
  if (others > kMostReserveOptions) throw WrongArity();
  return terms;
}

InsertOptions parse_insert(Words words, const Settings& settings) {
  InsertOptions options;
  options.filter = usual_options(settings);
  bool nonscaling = settings.expansion == 0 && !settings.is_replay;
  bool says_capacity = false;
  bool says_rate = false;
  bool says_expansion = false;
  for (std::size_t i = 2; options.first_item == 0; ++i) {
    if (i >= words.size()) throw WrongArity();
    const std::string_view word = words[i];
    const auto value = [&] {
      if (++i >= words.size()) throw WrongArity();
      return words[i];
    };
    if (!settings.is_replay && same_word(word, "nx")) {
      options.terms.only_if_new = true;
      continue;
    }
    if (!settings.is_replay && same_word(word, "ex")) {
      options.terms.expires_after_ms = parse_expiry(value());
      continue;
    }
    switch (letter(word, 0)) {
      case 'i':
        options.first_item = i + 1;
        break;
      case 'c':
        options.filter.capacity = capacity_in(value(), settings);
        says_capacity = true;
        break;
      case 'e':
        if (letter(word, 1) == 'r') {
          options.filter.error_rate = rate_in(value(), settings);
          says_rate = true;
        } else {
          options.filter.expansion = expansion_in(value(), settings);
          says_expansion = true;
        }
        break;
      case 'n':
        if (letter(word, 2) == 'c') {
          options.create = false;
        } else {
          nonscaling = true;
        }
        break;
      default:
        throw Refusal("Unknown argument received");
    }
  }
  if (options.first_item >= words.size()) throw WrongArity();
  if (options.terms.only_if_new && !options.create) {
    throw Refusal("ERR NX makes a filter and NOCREATE does not: give one of them");
  }
  options.filter.nonscaling = nonscaling || options.filter.expansion == 0;
  options.says_all = says_capacity && says_rate && says_expansion;
  return options;
}

}  // namespace bloomery::module
