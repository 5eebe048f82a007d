// SPDX-License-Identifier: Apache-2.0
#include "module/settings.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "bloomery/text/shortest.h"

namespace bloomery::module {
namespace {

// A number of the settings, which the path of members leads to.
template <auto... path>
constexpr Setting whole(const char* name, std::uint64_t low, std::uint64_t high,
                        const char* old_name = nullptr) {
  return {name,
          old_name,
          low,
          high,
          [](Settings& settings, std::uint64_t value) {
            auto& field = (settings.*....*path);
            field = static_cast<std::remove_reference_t<decltype(field)>>(value);
          },
          [](const Settings& settings) -> std::uint64_t { return (settings.*....*path); }};
}

using Cuckoo = CuckooSettings;
constexpr std::array kSettings{
    Setting{"bf-error-rate", "error_rate"},
    whole<&Settings::capacity>("bf-initial-size", 1, kUsualMostCapacity, "initial_size"),
    whole<&Settings::expansion>("bf-expansion-factor", 0, kMostExpansion),
    whole<&Settings::most_capacity>("bf-max-capacity", 1, kMostCapacity),
    whole<&Settings::delta_bytes>("bf-delta-bytes", 0, kMostDeltaBytes),
    whole<&Settings::read_clients>("bf-read-clients", 0, kMostReadClients),
    whole<&Settings::cuckoo, &Cuckoo::bucket_size>("cf-bucket-size", 1, kMostBucketSize),
    whole<&Settings::cuckoo, &Cuckoo::capacity>("cf-initial-size", 4, kUsualMostCapacity),
    whole<&Settings::cuckoo, &Cuckoo::max_iterations>("cf-max-iterations", 1, kMostIterations),
    whole<&Settings::cuckoo, &Cuckoo::expansion>("cf-expansion-factor", 0, kMostExpansion),
    whole<&Settings::cuckoo, &Cuckoo::max_expansions>("cf-max-expansions", 1, kMostExpansions,
                                                      "cf_max_expansions"),
};
constexpr const Setting& kBucketSize = kSettings[6];
constexpr const Setting& kCuckooCapacity = kSettings[7];

std::invalid_argument out_of_range(const char* name, const std::string& range) {
  return std::invalid_argument("Value for `" + std::string(name) + "` must be in the range " +
                               range);
}

void require_within(const char* name, std::uint64_t value, std::uint64_t least,
                    std::uint64_t most) {
  if (value >= least && value <= most) return;
  throw out_of_range(name, "[" + std::to_string(least) + ", " + std::to_string(most) + "]");
}

}  // namespace

std::span<const Setting> all_settings() noexcept {
  return kSettings;
}

void Setting::set(Settings& settings, std::string_view text) const {
  const auto read = [this](auto value) {
    if (!value) throw std::invalid_argument("Invalid value for `" + std::string(name) + "`");
    return *value;
  };
  if (put == nullptr) {
    const auto rate = read(parse_real(text));
    if (!(rate > 0 && rate < 1)) throw out_of_range(name, "(0.000000, 1.000000)");
    settings.error_rate = std::min(rate, kMostRate);
    return;
  }
  const auto value = static_cast<std::uint64_t>(read(parse_integer(text)));  // negative: too large
  require_within(name, value, low, high);
  put(settings, value);
}

// A cuckoo filter has two buckets at least.
void Setting::require_fits(const Settings& settings) const {
  const CuckooSettings& cuckoo = settings.cuckoo;
  if (get == kBucketSize.get) {
    require_within(name, cuckoo.bucket_size, low, std::min(high, cuckoo.capacity / 2));
  } else if (get == kCuckooCapacity.get) {
    require_within(name, cuckoo.capacity, std::max(low, std::uint64_t{2} * cuckoo.bucket_size),
                   high);
  }
}

std::string Setting::text(const Settings& settings) const {
  if (get != nullptr) return std::to_string(get(settings));
  return shortest(settings.error_rate);
}

Settings parse_settings(std::span<const std::string_view> words) {
  if (words.size() % 2 != 0) {
    throw std::invalid_argument("`" + std::string(words.back()) +
                                "` has no value: arguments are pairs of a name and a value");
  }
  Settings settings;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const auto named = std::ranges::find_if(kSettings, [&](const Setting& each) {
      return same_word(words[i], each.name) ||
             (each.old_name != nullptr && same_word(words[i], each.old_name));
    });
    if (named == kSettings.end()) {
      std::string known;
      for (const Setting& each : kSettings) known += std::string(" ") + each.name;
      throw std::invalid_argument("Unknown argument `" + std::string(words[i]) + "`; there are" +
                                  known);
    }
    named->set(settings, words[i + 1]);
  }
  for (const Setting& each : kSettings) each.require_fits(settings);
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
