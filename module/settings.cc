#include "module/settings.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <string>

namespace bloomery::module {
namespace {

std::uint64_t whole_in(std::string_view name, std::string_view text, std::uint64_t low,
                       std::uint64_t high) {
  const auto value = parse_integer(text);
  if (!value) throw std::invalid_argument("Invalid value for `" + std::string(name) + "`");
  if (*value < 0 || static_cast<std::uint64_t>(*value) < low ||
      static_cast<std::uint64_t>(*value) > high) {
    throw std::invalid_argument("Value for `" + std::string(name) + "` must be in the range [" +
                                std::to_string(low) + ", " + std::to_string(high) + "]");
  }
  return static_cast<std::uint64_t>(*value);
}

std::uint32_t narrow_in(std::string_view name, std::string_view text, std::uint32_t low,
                        std::uint32_t high) {
  return static_cast<std::uint32_t>(whole_in(name, text, low, high));
}

double rate_in(std::string_view name, std::string_view text) {
  const auto value = parse_real(text);
  if (!value) throw std::invalid_argument("Invalid value for `" + std::string(name) + "`");
  if (!(*value > 0 && *value < 1)) {
    throw std::invalid_argument("Value for `" + std::string(name) +
                                "` must be in the range (0.000000, 1.000000)");
  }
  return std::min(*value, kMostRate);
}

}  // namespace

Settings parse_settings(std::span<const std::string_view> words) {
  if (words.size() % 2 != 0) {
    throw std::invalid_argument("`" + std::string(words.back()) +
                                "` has no value: arguments are pairs of a name and a value");
  }
  Settings settings;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const std::string_view name = words[i];
    const std::string_view value = words[i + 1];
    if (same_word(name, "bf-error-rate") || same_word(name, "error_rate")) {
      settings.error_rate = rate_in(name, value);
    } else if (same_word(name, "bf-initial-size") || same_word(name, "initial_size")) {
      settings.capacity = whole_in(name, value, 1, kUsualMostCapacity);
    } else if (same_word(name, "bf-expansion-factor")) {
      settings.expansion = narrow_in(name, value, 0, kMostExpansion);
    } else if (same_word(name, "bf-max-capacity")) {
      settings.most_capacity = whole_in(name, value, 1, kMostCapacity);
    } else if (same_word(name, "cf-bucket-size")) {
      settings.cuckoo.bucket_size = narrow_in(name, value, 1, kMostBucketSize);
    } else if (same_word(name, "cf-initial-size")) {
      settings.cuckoo.capacity = whole_in(name, value, 4, kUsualMostCapacity);
    } else if (same_word(name, "cf-max-iterations")) {
      settings.cuckoo.max_iterations = narrow_in(name, value, 1, kMostIterations);
    } else if (same_word(name, "cf-expansion-factor")) {
      settings.cuckoo.expansion = narrow_in(name, value, 0, kMostExpansion);
    } else if (same_word(name, "cf-max-expansions") || same_word(name, "cf_max_expansions")) {
      settings.cuckoo.max_expansions = narrow_in(name, value, 1, kMostExpansions);
    } else {
      throw std::invalid_argument("Unknown argument `" + std::string(name) +
                                  "`; there are bf-error-rate, bf-initial-size, "
                                  "bf-expansion-factor, bf-max-capacity, cf-bucket-size, "
                                  "cf-initial-size, cf-max-iterations, cf-expansion-factor and "
                                  "cf-max-expansions");
    }
  }
  return settings;
}

std::optional<std::int64_t> parse_integer(std::string_view text) noexcept {
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  if (digits.starts_with('0') && text != "0") return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> parse_real(std::string_view text) noexcept {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || std::isnan(value)) {
    return std::nullopt;
  }
  return value;
}

bool same_word(std::string_view text, std::string_view word) noexcept {
  return std::equal(text.begin(), text.end(), word.begin(), word.end(), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  });
}

}  // namespace bloomery::module
