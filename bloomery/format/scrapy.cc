// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/scrapy.h"

#include <array>
#include <bit>
#include <stdexcept>
#include <string>

#include "bloomery/errors.h"
#include "bloomery/filter/classic_layout.h"
#include "bloomery/filter/make_kind.h"
#include "bloomery/format/kinds.h"
#include "bloomery/format/redis_bitmap.h"
#include "bloomery/text/shortest.h"
#include "bloomery/text/utf8.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kUsualHashes = 6;
constexpr std::uint64_t kLeastBit = 3;  // a byte
constexpr std::uint64_t kMostBit = 32;  // of a string of Redis
constexpr std::uint64_t kMostHashes = 255;

double rate_of(const Geometry& geometry, std::uint64_t keys) noexcept {
  return predicted_rate(geometry, ScrapyProbes::kNarrowHash, static_cast<double>(keys));
}

}  // namespace

Geometry ScrapyProbes::geometry(const FilterOptions& options) {
  validate(options);
  for (std::uint64_t bit = kLeastBit; bit <= kMostBit; ++bit) {
    const Geometry geometry{.bit_count = std::uint64_t{1} << bit, .probe_count = kUsualHashes};
    if (rate_of(geometry, options.capacity) <= options.false_positive_rate) return geometry;
  }
  throw std::invalid_argument("scrapy: " + std::to_string(options.capacity) +
                              " keys at that rate need more than the 2^32 bits of a string of "
                              "Redis");
}

void ScrapyProbes::check(const FilterParameters& parameters) {
  const Geometry& geometry = parameters.geometry;
  if (std::has_single_bit(geometry.bit_count) && geometry.bit_count >= 1U << kLeastBit &&
      geometry.bit_count <= std::uint64_t{1} << kMostBit && geometry.probe_count <= kMostHashes) {
    return;
  }
  throw FormatError("impossible geometry of a filter of Scrapy: " +
                    std::to_string(geometry.bit_count) + " bits (a power of two from 8 to 2^32), " +
                    std::to_string(geometry.probe_count) + " probes (1 to 255)");
}

std::uint64_t ScrapyProbes::position(Key key, std::uint32_t i, std::uint64_t bit_count) noexcept {
  // Overflow of 64 bits loses multiples of 2^64 alone, and a power of two divides those.
  std::uint64_t hash = 0;
  Utf8Characters characters(key);
  for (std::uint32_t character; characters.next(character);) {
    hash = (std::uint64_t{i} + 1) * hash + character;
  }
  return hash & (bit_count - 1);
}

namespace scrapy {

Geometry geometry_of(const SettingsReader& read) {
  const std::uint64_t bit = read.need_count("bit");
  const std::uint64_t hashes = read.need_count("hash_number");
  if (bit < kLeastBit || bit > kMostBit) {
    read.refuse("bit", "from 3 to 32: the bitmap has 2^bit bits, and a string up to 512 MiB");
  }
  if (hashes > kMostHashes) read.refuse("hash_number", "at most 255");
  return {.bit_count = std::uint64_t{1} << bit, .probe_count = static_cast<std::uint32_t>(hashes)};
}

namespace {

AnyFilter decode(std::span<const std::byte> bytes, const FormatSettings& settings) {
  const SettingsReader read(settings, kFormat.name, kFormat.settings);
  return open_bitmap(promised_parameters(FilterKind::scrapy, geometry_of(read), read), bytes,
                     "a bitmap of ScrapyRedisBloomFilter");
}

AnyFilter create(const FilterOptions& options, const FormatSettings& settings) {
  const SettingsReader read = settings_of_new(settings, kFormat);
  const Geometry geometry = settings.empty() ? ScrapyProbes::geometry(options) : geometry_of(read);
  const FilterParameters parameters = promised_parameters(FilterKind::scrapy, geometry, options);
  const double rate = rate_of(geometry, options.capacity);
  if (rate > options.false_positive_rate) {
    throw std::invalid_argument(
        "scrapy: bit=" + std::to_string(std::bit_width(geometry.bit_count) - 1) +
        " and hash_number=" + std::to_string(geometry.probe_count) + " hold " +
        std::to_string(options.capacity) + " keys at a rate of " + shortest(rate) + ", not " +
        shortest(options.false_positive_rate));
  }
  return make_foreign(parameters);
}

FormatSettings settings_of(const FilterContents& contents) {
  FormatSettings settings = bitmap_settings(contents);
  const Geometry& geometry = contents.parameters.geometry;
  settings.erase("bits");
  settings.erase("probes");
  settings["bit"] = std::to_string(std::bit_width(geometry.bit_count) - 1);
  settings["hash_number"] = std::to_string(geometry.probe_count);
  return settings;
}

constexpr Kind kKind =
    flat_kind<ClassicLayout<ScrapyProbes>>({"scrapy", "a sum over the characters, one a probe"});
constexpr std::array kKinds{&kKind};

}  // namespace

const Format kFormat{
    .name = "scrapy",
    .system = "ScrapyRedisBloomFilter over a Redis bitmap, Python",
    .hash = "h = (i + 1) h + character",
    .rule = "the i-th hash mod m",
    .limits = "a power of two up to 2^32 bits, up to 255 probes",
    .warning =
        "its first hash is the sum of the characters, which tells next to nothing, and keys that "
        "end alike share bits: it is made for fingerprints of requests",
    .settings = "bit hash_number capacity rate",
    .keys = "text",
    .kinds = kKinds,
    .decode = decode,
    .create = create,
    .encode = write_bitmap,
    .settings_of = settings_of,
    .advice = nullptr,
    .create_settings = "bit hash_number",
};

}  // namespace scrapy
}  // namespace bloomery
