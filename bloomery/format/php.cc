// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/php.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <vector>

#include "bloomery/bits/bit_ops.h"
#include "bloomery/errors.h"
#include "bloomery/filter/classic_layout.h"
#include "bloomery/filter/make_kind.h"
#include "bloomery/filter/rates.h"
#include "bloomery/filter/sizing.h"
#include "bloomery/format/php_number.h"
#include "bloomery/format/redis_bitmap.h"

namespace bloomery {
namespace {

constexpr std::uint32_t kProbes = 3;
constexpr std::uint64_t kMostBits = std::uint64_t{1} << 32;  // of a string of Redis
constexpr std::uint64_t kBitsInKilobyte = 8192;

// ($hash % 0xFFFFFFFF) & 0xFFFFFFFF, where % has the sign of $hash.
std::uint32_t end_hash(std::int64_t hash) noexcept {
  return static_cast<std::uint32_t>(hash % 0xffffffff);
}

}  // namespace

std::int64_t php_int(double value) noexcept {
  if (!std::isfinite(value)) return 0;
  if (value >= -0x1p63 && value < 0x1p63) return static_cast<std::int64_t>(value);
  const double rest = std::fmod(value, 0x1p64);  // exact, and whole
  const auto magnitude = static_cast<std::uint64_t>(std::abs(rest));
  return static_cast<std::int64_t>(rest < 0 ? 0 - magnitude : magnitude);
}

Geometry PhpProbes::geometry(const FilterOptions& options) {
  Geometry geometry = geometry_with_probes(kProbes, 0, options);
  std::uint64_t kilobytes = (geometry.bit_count + kBitsInKilobyte - 1) / kBitsInKilobyte;
  // The hashes fall unevenly on more than 2^30 bits or so, which takes a few more.
  const auto keeps_rate = [&] {
    geometry.bit_count = kilobytes * kBitsInKilobyte;
    return predicted_rate(geometry, kNarrowHash, static_cast<double>(options.capacity)) <=
           options.false_positive_rate;
  };
  while (!keeps_rate() && geometry.bit_count <= kMostBits) kilobytes += (kilobytes + 1023) / 1024;
  if (geometry.bit_count > kMostBits) {
    throw std::invalid_argument("php: " + std::to_string(options.capacity) +
                                " keys at that rate need more than the 2^32 bits of a string of "
                                "Redis");
  }
  return geometry;
}

void PhpProbes::check(const FilterParameters& parameters) {
  const Geometry& geometry = parameters.geometry;
  if (geometry.probe_count == kProbes && geometry.bit_count <= kMostBits) return;
  throw FormatError("impossible geometry of a PHP filter: " + std::to_string(geometry.bit_count) +
                    " bits (up to 2^32), " + std::to_string(geometry.probe_count) + " probes (3)");
}

HashPair PhpProbes::hash(Key key) const noexcept {
  return {std::uint64_t{php::js_hash(key)} << 32 | php::bkdr_hash(key), php::sdbm_hash(key)};
}

namespace php {
namespace {

std::uint8_t byte_of(char c) noexcept {
  return static_cast<std::uint8_t>(c);
}

Geometry geometry_of(std::uint64_t bits) noexcept {
  return {.bit_count = bits, .probe_count = kProbes};
}

// 0 where nobody says.
std::uint64_t bits_of(const SettingsReader& read) {
  const std::uint64_t kilobytes = read.count("size_kb").value_or(0);
  if (kilobytes > kMostBits / kBitsInKilobyte) read.refuse("size_kb", "at most 524288, 512 MiB");
  const std::uint64_t bits = read.count("bits").value_or(kilobytes * kBitsInKilobyte);
  if (bits > kMostBits) read.refuse("bits", "at most 2^32, 512 MiB");
  if (kilobytes != 0 && bits != kilobytes * kBitsInKilobyte) {
    read.refuse("bits", "not 8192 times size_kb");
  }
  return bits;
}

AnyFilter decode(std::span<const std::byte> bytes, const FormatSettings& settings) {
  const SettingsReader read(settings, kFormat.name, kFormat.settings);
  const std::uint64_t bits = bits_of(read);
  if (bits == 0) read.refuse_missing("the class's sizeInKB, as size_kb, or bits");
  return open_bitmap(promised_parameters(FilterKind::php, geometry_of(bits), read), bytes,
                     "a bitmap of the PHP class");
}

AnyFilter create(const FilterOptions& options, const FormatSettings& settings) {
  const SettingsReader read = settings_of_new(settings, kFormat);
  const std::uint64_t bits = bits_of(read);
  const Geometry geometry = bits == 0 ? PhpProbes::geometry(options) : geometry_of(bits);
  return create_bitmap(promised_parameters(FilterKind::php, geometry, options), kFormat.name);
}

void encode(const FilterContents& contents, const ByteSink& sink) {
  write_bits(contents.words.front(), (contents.parameters.geometry.bit_count + 7) / 8,
             BitOrder::msb_first, sink);
}

FormatSettings settings_of(const FilterContents& contents) {
  FormatSettings settings = sized_bitmap_settings(contents);
  const std::uint64_t bits = contents.parameters.geometry.bit_count;
  if (bits % kBitsInKilobyte == 0) {
    settings.erase("bits");
    settings["size_kb"] = std::to_string(bits / kBitsInKilobyte);
  }
  return settings;
}

constexpr double kFewestBitsToJudge = 300;  // of a hundred keys

// Keys of one pattern set bits that lie together, and so they touch fewer bytes than as many bits
// at random would. Says how many, and how few bits the keys that were counted have set.
std::string advice(const FilterContents& contents) {
  const std::span<const std::uint64_t> words = contents.words.front();
  double ones = 0;
  double touched = 0;  // bytes
  for (const std::uint64_t& each : words) {
    const std::uint64_t word = load_word(&each);
    ones += std::popcount(word);
    for (int byte = 0; byte < 8; ++byte) touched += (word >> (8 * byte) & 0xff) != 0 ? 1 : 0;
  }
  if (ones < kFewestBitsToJudge) return "";
  const auto bits = static_cast<double>(contents.parameters.geometry.bit_count);
  const double touched_at_random = bits / 8 * (1 - std::pow(1 - ones / bits, 8));
  const double ones_at_random = bits * expected_fill_ratio(contents.parameters.geometry,
                                                           static_cast<double>(contents.inserted));
  char text[256];
  std::string advice;
  if (touched < 0.9 * touched_at_random) {
    std::snprintf(text, sizeof text,
                  "its %.0f bits lie in %.0f bytes, not in %.0f: it finds strangers of its keys' "
                  "pattern far more often than the fill says",
                  ones, touched, touched_at_random);
    advice = text;
  }
  if (ones < 0.9 * ones_at_random) {
    std::snprintf(text, sizeof text,
                  "%sits %llu keys have set %.0f bits, not %.0f: keys share positions",
                  advice.empty() ? "" : "; ", static_cast<unsigned long long>(contents.inserted),
                  ones, ones_at_random);
    advice += text;
  }
  return advice;
}

constexpr Kind kKind = flat_kind<ClassicLayout<PhpProbes>>({"php", "BKDR, JS, SDBM of PHP"});
constexpr std::array kKinds{&kKind};

}  // namespace

std::uint32_t bkdr_hash(Key key) noexcept {
  std::int64_t hash = 0;
  for (const char c : key) hash = (PhpNumber(hash) * 131 + byte_of(c)).to_int();
  return end_hash(hash);
}

std::uint32_t js_hash(Key key) noexcept {
  std::int64_t hash = 1315423911;
  for (const char c : key) {
    hash ^= (PhpNumber(php_shift_left(hash, 5)) + byte_of(c) + (hash >> 2)).to_int();
  }
  return end_hash(hash);
}

std::uint32_t sdbm_hash(Key key) noexcept {
  std::int64_t hash = 0;
  for (const char c : key) {
    const PhpNumber sum = PhpNumber(byte_of(c)) + php_shift_left(hash, 6);
    hash = (sum + php_shift_left(hash, 16) - hash).to_int();
  }
  return end_hash(hash);
}

KeyQuality measure_quality(std::span<const Key> keys, std::uint64_t bit_count) {
  std::vector<Key> distinct(keys.begin(), keys.end());
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());

  std::vector<std::array<std::uint64_t, kProbes>> triples;
  triples.reserve(distinct.size());
  const PhpProbes probes({});
  for (const Key key : distinct) {
    const HashPair hash = probes.hash(key);
    auto& positions = triples.emplace_back();
    for (std::uint32_t i = 0; i < kProbes; ++i) {
      positions[i] = PhpProbes::position(hash, i, bit_count);
    }
    std::sort(positions.begin(), positions.end());  // the same bits in another order are the same
  }
  std::sort(triples.begin(), triples.end());
  triples.erase(std::unique(triples.begin(), triples.end()), triples.end());
  return {distinct.size(), triples.size()};
}

std::string describe(const KeyQuality& quality) {
  char text[256];
  std::snprintf(text, sizeof text,
                "the PHP class's hashes give %llu distinct keys %llu distinct sets of positions "
                "(%.1f %%)",
                static_cast<unsigned long long>(quality.keys),
                static_cast<unsigned long long>(quality.triples), 100 * quality.share());
  return text;
}

namespace {

constexpr double kGoodShare = 0.99;

std::string advice_of_keys(std::span<const Key> sample, std::uint64_t bit_count) {
  const KeyQuality quality = measure_quality(sample, bit_count);
  return quality.share() < kGoodShare ? describe(quality) + ": the others answer alike" : "";
}

}  // namespace

const Format kFormat{
    .name = "php",
    .system = "a PHP class over a Redis bitmap",
    .hash = "BKDR, JS, SDBM in PHP's ints and floats",
    .rule = "the i-th hash mod m",
    .limits = "3 probes, up to 2^32 bits",
    .warning =
        "its hashes overflow and ignore the ends of longer keys, so that many keys share all "
        "their positions: for sharing what is there only",
    .settings = "size_kb bits capacity rate",
    .keys = "text",
    .kinds = kKinds,
    .decode = decode,
    .create = create,
    .encode = encode,
    .settings_of = settings_of,
    .advice = advice,
    .key_advice = advice_of_keys,
    .create_settings = "size_kb bits",
};

}  // namespace php
}  // namespace bloomery
