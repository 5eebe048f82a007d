// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/scrapy.h"

#include <array>
#include <bit>
#include <stdexcept>
#include <string>
#include <string_view>

#include "bloomery/errors.h"
#include "bloomery/filter/classic_layout.h"
#include "bloomery/filter/make_kind.h"
#include "bloomery/format/kinds.h"
#include "bloomery/format/redis_bitmap.h"
#include "bloomery/format/scrapy_md5.h"
#include "bloomery/text/shortest.h"
#include "bloomery/text/utf8.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kUsualHashes = 6;
constexpr std::uint64_t kLeastBit = 3;  // a byte
constexpr std::uint64_t kMostBit = 32;  // of a string of Redis
constexpr std::uint64_t kMostHashes = 255;
constexpr std::string_view kLineages = "plain md5";

static_assert(ScrapyProbes::kNarrowHash.alike_probes == ScrapyMd5Probes::kNarrowHash.alike_probes);
double rate_of(const Geometry& geometry, std::uint64_t keys) noexcept {
  return predicted_rate(geometry, ScrapyProbes::kNarrowHash, static_cast<double>(keys));
}

Geometry fewest_bits(const FilterOptions& options, std::uint32_t hashes) {
  validate(options);
  for (std::uint64_t bit = kLeastBit; bit <= kMostBit; ++bit) {
    const Geometry geometry{.bit_count = std::uint64_t{1} << bit, .probe_count = hashes};
    if (rate_of(geometry, options.capacity) <= options.false_positive_rate) return geometry;
  }
  throw std::invalid_argument("scrapy: " + std::to_string(options.capacity) +
                              " keys at that rate need more than the 2^32 bits of a string of "
                              "Redis");
}

void check_geometry(const Geometry& geometry, std::uint64_t most_hashes) {
  if (std::has_single_bit(geometry.bit_count) && geometry.bit_count >= 1U << kLeastBit &&
      geometry.bit_count <= std::uint64_t{1} << kMostBit && geometry.probe_count <= most_hashes) {
    return;
  }
  throw FormatError(
      "impossible geometry of a filter of Scrapy: " + std::to_string(geometry.bit_count) +
      " bits (a power of two from 8 to 2^32), " + std::to_string(geometry.probe_count) +
      " probes (1 to " + std::to_string(most_hashes) + ")");
}

}  // namespace

Geometry ScrapyProbes::geometry(const FilterOptions& options) {
  return fewest_bits(options, kUsualHashes);
}

void ScrapyProbes::check(const FilterParameters& parameters) {
  check_geometry(parameters.geometry, kMostHashes);
}

Geometry ScrapyMd5Probes::geometry(const FilterOptions& options) {
  return fewest_bits(options, kMostHashes);
}

void ScrapyMd5Probes::check(const FilterParameters& parameters) {
  check_geometry(parameters.geometry, kMostHashes);
}

std::uint64_t ScrapyMd5Probes::position(HashPair digest, std::uint32_t i,
                                        std::uint64_t bit_count) noexcept {
  constexpr std::array<std::uint64_t, kMostHashes> kSeeds{5, 7, 11, 13, 31, 37, 61};
  constexpr std::string_view kDigits = "0123456789abcdef";
  const std::uint64_t factor = kSeeds.at(i) + 1;
  std::uint64_t hash = 0;
  const auto add = [&](std::uint64_t half) {
    for (int byte = 0; byte < 8; ++byte) {
      const std::uint64_t value = half >> (8 * byte) & 0xff;
      hash = factor * hash + static_cast<unsigned char>(kDigits[value >> 4]);
      hash = factor * hash + static_cast<unsigned char>(kDigits[value & 0xf]);
    }
  };
  add(digest.h1);
  add(digest.h2);
  return hash & (bit_count - 1);
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

Shape shape_of(const SettingsReader& read) {
  const bool is_md5 = read.word("hash", kLineages) == "md5";
  const std::uint64_t bit = read.need_count("bit");
  const std::uint64_t hashes = read.need_count("hash_number");
  if (bit < kLeastBit || bit > kMostBit) {
    read.refuse("bit", "from 3 to 32: the bitmap has 2^bit bits, and a string up to 512 MiB");
  }
  const std::uint64_t most = is_md5 ? ScrapyMd5Probes::kMostHashes : kMostHashes;
  if (hashes > most) read.refuse("hash_number", "at most " + std::to_string(most));
  return {.kind = is_md5 ? FilterKind::scrapy_md5 : FilterKind::scrapy,
          .geometry = {.bit_count = std::uint64_t{1} << bit,
                       .probe_count = static_cast<std::uint32_t>(hashes)}};
}

namespace {

AnyFilter decode(std::span<const std::byte> bytes, const FormatSettings& settings) {
  const SettingsReader read(settings, kFormat.name, kFormat.settings);
  const Shape shape = shape_of(read);
  return open_bitmap(promised_parameters(shape.kind, shape.geometry, read), bytes,
                     "a bitmap of ScrapyRedisBloomFilter");
}

// Without sizes, those that keep the rate.
Shape shape_of_new(const FilterOptions& options, const FormatSettings& settings,
                   const SettingsReader& read) {
  if (settings.contains("bit") || settings.contains("hash_number")) return shape_of(read);
  if (read.word("hash", kLineages) == "md5") {
    return {FilterKind::scrapy_md5, ScrapyMd5Probes::geometry(options)};
  }
  return {FilterKind::scrapy, ScrapyProbes::geometry(options)};
}

AnyFilter create(const FilterOptions& options, const FormatSettings& settings) {
  const SettingsReader read = settings_of_new(settings, kFormat);
  const Shape shape = shape_of_new(options, settings, read);
  const Geometry& geometry = shape.geometry;
  const FilterParameters parameters = promised_parameters(shape.kind, geometry, options);
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
  if (contents.parameters.kind == FilterKind::scrapy_md5) settings["hash"] = "md5";
  return settings;
}

constexpr Kind kKind =
    flat_kind<ClassicLayout<ScrapyProbes>>({"scrapy", "a sum over the characters, one a probe"});
constexpr Kind kMd5Kind = flat_kind<ClassicLayout<ScrapyMd5Probes>>(
    {"scrapy-md5", "a sum over the digits of the MD5, one a probe"});
constexpr std::array kKinds{&kKind, &kMd5Kind};

}  // namespace

const Format kFormat{
    .name = "scrapy",
    .system = "ScrapyRedisBloomFilter over a Redis bitmap, Python",
    .hash = "h = (i + 1) h + character",
    .rule = "the i-th hash mod m",
    .limits = "a power of two up to 2^32 bits, up to 255 probes",
    .warning =
        "without hash=md5 its first hash is the sum of the characters, which tells next to "
        "nothing, "
        "and keys that end alike share bits: it is made for fingerprints of requests",
    .settings = "bit hash_number hash capacity rate",
    .keys = "text",
    .kinds = kKinds,
    .decode = decode,
    .create = create,
    .encode = write_bitmap,
    .settings_of = settings_of,
    .advice = nullptr,
    .create_settings = "bit hash_number hash",
};

}  // namespace scrapy
}  // namespace bloomery
