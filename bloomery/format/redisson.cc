// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/redisson.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <stdexcept>

#include "bloomery/bits/bit_view.h"
#include "bloomery/filter/classic_layout.h"
#include "bloomery/filter/make_kind.h"
#include "bloomery/format/kinds.h"
#include "bloomery/format/mitz_probes.h"
#include "bloomery/format/redis_bitmap.h"
#include "bloomery/format/redisson_probes.h"

namespace bloomery::redisson {
namespace {

constexpr std::uint64_t kMostBits = 4'294'967'294;
constexpr std::uint32_t kMostProbes = 255;
constexpr std::uint64_t kSmallFactors = 2 * 3 * 5 * 7;

void check(const Config& config) {
  if (config.size == 0 || config.size > kMostBits) {
    throw std::invalid_argument("redisson: size=" + std::to_string(config.size) +
                                "; from 1 to 4294967294 bits, or tryInit refuses it");
  }
  if (config.hash_iterations == 0 || config.hash_iterations > kMostProbes) {
    throw std::invalid_argument(
        "redisson: hashIterations=" + std::to_string(config.hash_iterations) +
        "; from 1 to 255 are possible here");
  }
}

FilterParameters parameters_of(const Config& config, bool legacy) {
  check(config);
  FilterParameters parameters{
      .kind = legacy ? FilterKind::redisson_legacy : FilterKind::redisson,
      .geometry = {.bit_count = config.size, .probe_count = config.hash_iterations}};
  derive_promise(parameters);
  if (config.expected_insertions != 0) parameters.capacity = config.expected_insertions;
  if (config.false_probability > 0) parameters.false_positive_rate = config.false_probability;
  return parameters;
}

Config config_of(const FilterParameters& parameters) {
  return {parameters.geometry.bit_count, parameters.geometry.probe_count, parameters.capacity,
          parameters.false_positive_rate};
}

Config config_from(const SettingsReader& read) {
  const auto size = read.count("size");
  const auto iterations = read.count("hashIterations");
  const auto insertions = read.count("expectedInsertions");
  const auto probability = read.rate("falseProbability");
  if (!(size && iterations) && !(insertions && probability)) {
    read.refuse_missing(
        "size and hashIterations, or expectedInsertions and falseProbability: the hash beside the "
        "bitmap, NAME:config or {NAME}:config, has all four");
  }
  if (iterations.value_or(1) > kMostProbes) read.refuse("hashIterations", "at most 255");
  Config config;
  if (insertions && probability) config = config_for(*insertions, *probability);
  if (size) config.size = *size;
  if (iterations) config.hash_iterations = static_cast<std::uint32_t>(*iterations);
  config.expected_insertions = insertions.value_or(0);
  config.false_probability = probability.value_or(0);
  return config;
}

AnyFilter decode_any(std::span<const std::byte> bytes, const FormatSettings& settings) {
  const SettingsReader read(settings, kFormat.name, kFormat.settings);
  return decode(bytes, config_from(read), read.flag("legacy"));
}

AnyFilter create_any(const FilterOptions& options, const FormatSettings& settings) {
  const SettingsReader read = settings_of_new(settings, kFormat);
  const auto choose = read.flag("oversize") ? oversized_config : config_for;
  return create(choose(options.capacity, options.false_positive_rate), read.flag("legacy"));
}

FormatSettings settings_of_any(const FilterContents& contents) {
  FormatSettings settings = settings_of(config_of(contents.parameters));
  if (contents.parameters.kind == FilterKind::redisson_legacy) settings["legacy"] = "1";
  return settings;
}

std::string advice(const FilterContents& contents) {
  const FilterParameters& parameters = contents.parameters;
  const double rate = expected_rate(parameters.geometry.bit_count, parameters.geometry.probe_count,
                                    parameters.capacity);
  char text[256];
  std::snprintf(text, sizeof text,
                "Redisson's rule has a false positive rate of %.3g at %llu keys, %.2f times the "
                "%.3g it was made for; oversize=1 makes one that keeps it",
                rate, static_cast<unsigned long long>(parameters.capacity),
                rate / parameters.false_positive_rate, parameters.false_positive_rate);
  return rate > 1.02 * parameters.false_positive_rate ? text : "";
}

constexpr Kind kKind = flat_kind<ClassicLayout<RedissonProbes>>({"redisson", "HighwayHash-128"});
constexpr Kind kLegacyKind =
    flat_kind<ClassicLayout<RedissonLegacyProbes>>({"redisson-legacy", "HighwayHash-128"});
constexpr std::array kKinds{&kKind, &kLegacyKind};

}  // namespace

Config config_for(std::uint64_t capacity, double rate) {
  const auto keys = static_cast<double>(capacity);
  const double bits = mitz_bit_count(keys, rate);
  if (!(rate > 0 && rate < 1) || !(bits >= 1) || bits > static_cast<double>(kMostBits)) {
    char size[32];
    std::snprintf(size, sizeof size, "%.0f", bits);
    throw std::invalid_argument("redisson: " + std::to_string(capacity) + " keys at a rate of " +
                                java_double(rate) + " would take " + size +
                                " bits; from 1 to 4294967294, or tryInit refuses it");
  }
  const Config config{static_cast<std::uint64_t>(bits), mitz_probe_count(bits, keys), capacity,
                      rate};
  check(config);
  return config;
}

Config oversized_config(std::uint64_t capacity, double rate) {
  Config config = config_for(capacity, rate);
  const std::uint64_t nominal = config.size;
  const auto keeps = [&](double factor) {
    config.size = static_cast<std::uint64_t>(static_cast<double>(nominal) * factor);
    while (std::gcd(config.size, kSmallFactors) != 1) ++config.size;
    config.hash_iterations =
        mitz_probe_count(static_cast<double>(config.size), static_cast<double>(capacity));
    check(config);
    return expected_rate(config.size, config.hash_iterations, capacity) <= rate;
  };
  double low = 1;
  double high = 1;
  while (!keeps(high)) {
    low = high;
    high *= 1.25;
  }
  while (high - low > 0.002) {
    const double middle = (low + high) / 2;
    (keeps(middle) ? high : low) = middle;
  }
  keeps(high);
  return config;
}

std::string config_key(std::string_view name) {
  const bool tagged = name.find('{') != std::string_view::npos;
  return tagged ? std::string(name) + ":config" : "{" + std::string(name) + "}:config";
}

FormatSettings settings_of(const Config& config) {
  return {{"size", std::to_string(config.size)},
          {"hashIterations", std::to_string(config.hash_iterations)},
          {"expectedInsertions", std::to_string(config.expected_insertions)},
          {"falseProbability", java_double(config.false_probability)}};
}

AnyFilter create(const Config& config, bool legacy) {
  return make_foreign(parameters_of(config, legacy));
}

AnyFilter decode(std::span<const std::byte> bitmap, const Config& config, bool legacy) {
  return open_bitmap(parameters_of(config, legacy), bitmap, "a Redisson bitmap");
}

std::uint64_t count(const AnyFilter& filter) {
  const auto bits = static_cast<double>(filter.geometry().bit_count);
  const auto ones = static_cast<double>(BitView(filter.contents().words.front()).count_ones());
  if (ones >= bits) {
    throw std::invalid_argument(
        "redisson: every bit is set, which any number of keys may have done");
  }
  return static_cast<std::uint64_t>(
      std::floor(-bits / filter.geometry().probe_count * std::log(1 - ones / bits) + 0.5));
}

// Plain from 10^-3 to 10^7, else with an exponent; always with a digit behind the point.
std::string java_double(double value) {
  char text[64];
  const bool plain = value == 0 || (std::abs(value) >= 1e-3 && std::abs(value) < 1e7);
  const auto [end, error] =
      std::to_chars(std::begin(text), std::end(text), value,
                    plain ? std::chars_format::fixed : std::chars_format::scientific);
  std::string written(text, end);
  if (plain) return written.find('.') == std::string::npos ? written + ".0" : written;
  const std::size_t e = written.find('e');
  std::string mantissa = written.substr(0, e);
  if (mantissa.find('.') == std::string::npos) mantissa += ".0";
  return mantissa + "E" + std::to_string(std::stoi(written.substr(e + 1)));
}

const Format kFormat{
    .name = "redisson",
    .system = "Redisson RBloomFilter, Java: bitmap, and its config hash beside it",
    .hash = "HighwayHash-128, a fixed key",
    .rule = "((ceil((i+1)/2) h1 + ceil(i/2) h2) mod 2^63) mod m",
    .limits = "up to 4,294,967,294 bits",
    .warning = "its rule exceeds the rate it is made for: 1 % is 1.2 %, 0.01 % is 0.037 %",
    .settings = "size hashIterations expectedInsertions falseProbability legacy",
    .keys = "kryo",
    .kinds = kKinds,
    .decode = decode_any,
    .create = create_any,
    .encode = write_bitmap,
    .settings_of = settings_of_any,
    .advice = advice,
    .create_settings = "legacy oversize",
};

}  // namespace bloomery::redisson

namespace bloomery {

Geometry RedissonProbes::geometry(const FilterOptions& options) {
  const auto config = redisson::config_for(options.capacity, options.false_positive_rate);
  return {.bit_count = config.size, .probe_count = config.hash_iterations};
}

}  // namespace bloomery
