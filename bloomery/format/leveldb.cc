// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/leveldb.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "bloomery/errors.h"
#include "bloomery/filter/classic_layout.h"
#include "bloomery/filter/make_kind.h"
#include "bloomery/format/kinds.h"
#include "bloomery/hash/little_endian.h"

namespace bloomery::leveldb_format {
namespace {

constexpr std::uint64_t kLeastBits = 64;
constexpr std::uint64_t kMostBits = std::uint64_t{1} << 60;
constexpr std::uint64_t kMostBitsPerKey = 200;  // beyond which no rate falls

double rate_of(const Geometry& geometry, std::uint64_t key_count) noexcept {
  return predicted_rate(geometry, Probes::kNarrowHash, static_cast<double>(key_count));
}

AnyFilter decode_any(std::span<const std::byte> bytes, const FormatSettings& settings) {
  refuse_settings(settings, kFormat.name);
  return decode(bytes);
}

AnyFilter create_any(const FilterOptions& options, const FormatSettings& settings) {
  const SettingsReader read(settings, kFormat.name, kFormat.settings);
  FilterParameters parameters{.kind = FilterKind::leveldb,
                              .capacity = options.capacity,
                              .false_positive_rate = options.false_positive_rate};
  validate(options);
  if (const auto bits_per_key = read.count("bits_per_key")) {
    parameters.geometry = geometry(options.capacity, *bits_per_key);
    parameters.false_positive_rate =
        std::clamp(rate_of(parameters.geometry, options.capacity), kMinRate, 0.999);
  } else {
    parameters.geometry = Probes::geometry(options);
  }
  return make_foreign(parameters);
}

void encode_any(const FilterContents& contents, const ByteSink& sink) {
  const Geometry& geometry = contents.parameters.geometry;
  write_bits(contents.words.front(), geometry.bit_count / 8, BitOrder::lsb_first, sink);
  const auto probes = static_cast<std::byte>(geometry.probe_count);
  sink({&probes, 1});
}

constexpr Kind kKind = flat_kind<ClassicLayout<Probes>>({"leveldb", "LevelDB's 32-bit hash"});
constexpr std::array kKinds{&kKind};

}  // namespace

std::uint32_t hash(Key key) noexcept {
  constexpr std::uint32_t kSeed = 0xbc9f1d34;
  constexpr std::uint32_t kFactor = 0xc6a4a793;
  const char* bytes = key.data();
  std::size_t left = key.size();
  std::uint32_t h = kSeed ^ (static_cast<std::uint32_t>(left) * kFactor);
  for (; left >= 4; bytes += 4, left -= 4) {
    h = (h + load_little_endian<std::uint32_t>(bytes)) * kFactor;
    h ^= h >> 16;
  }
  if (left == 0) return h;
  h = (h + load_little_endian<std::uint32_t>(bytes, left)) * kFactor;
  return h ^ (h >> 24);
}

Geometry geometry(std::uint64_t key_count, std::uint64_t bits_per_key) {
  if (bits_per_key == 0 || key_count > kMostBits / bits_per_key) {
    throw std::invalid_argument("leveldb: " + std::to_string(bits_per_key) + " bits a key for " +
                                std::to_string(key_count) + " keys: at least 1 bit, and at most " +
                                "2^60 in all");
  }
  const std::uint64_t bits = std::max(kLeastBits, key_count * bits_per_key);
  const auto probes = static_cast<std::uint64_t>(static_cast<double>(bits_per_key) * 0.69);
  return {
      .bit_count = (bits + 7) / 8 * 8,
      .probe_count = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(probes, 1, kMostProbes))};
}

Geometry Probes::geometry(const FilterOptions& options) {
  validate(options);
  for (std::uint64_t bits = 1; bits <= kMostBitsPerKey; ++bits) {
    const Geometry found = leveldb_format::geometry(options.capacity, bits);
    if (rate_of(found, options.capacity) <= options.false_positive_rate) return found;
  }
  throw std::invalid_argument("leveldb: its hash has 32 bits, too few to tell an absent key from " +
                              std::to_string(options.capacity) +
                              " others at that rate; a higher rate, or fewer keys a filter");
}

void Probes::check(const FilterParameters& parameters) {
  if (parameters.geometry.bit_count % 8 != 0) {
    throw FormatError("impossible geometry of a LevelDB filter: " +
                      std::to_string(parameters.geometry.bit_count) + " bits (a multiple of 8)");
  }
}

AnyFilter decode(std::span<const std::byte> bytes) {
  const auto last = bytes.empty() ? 1U : static_cast<std::uint32_t>(bytes.back());
  const bool holds_keys = bytes.size() >= 2;
  const bool always_maybe = holds_keys && (last == 0 || last > kMostProbes);

  FilterContents contents;
  Geometry& geometry = contents.parameters.geometry;
  contents.parameters.kind = FilterKind::leveldb;
  geometry.bit_count = holds_keys ? (bytes.size() - 1) * 8 : kLeastBits;
  // Written again, a probe count of 31 is as reserved as 0 was.
  geometry.probe_count = always_maybe && last == 0 ? kMostProbes + 1
                         : always_maybe            ? last
                                        : std::clamp<std::uint32_t>(last, 1, kMostProbes);
  derive_promise(contents.parameters);

  HeapWords words((geometry.bit_count + kWordBits - 1) / kWordBits);
  if (holds_keys) {
    read_bits(bytes.first(bytes.size() - 1), BitOrder::lsb_first, geometry.bit_count, words.words(),
              "a LevelDB filter");
  }
  if (always_maybe) {
    for (std::uint64_t bit = 0; bit < geometry.bit_count; ++bit) set_bit(words.words(), bit);
  }
  return open_foreign(contents, std::move(words));
}

const Format kFormat{
    .name = "leveldb",
    .system = "LevelDB filter block: leveldb.BuiltinBloomFilter2",
    .hash = "LevelDB's 32-bit hash, seed 0xbc9f1d34",
    .rule = "(h + i d mod 2^32) mod m, d = h rotated right by 17",
    .limits = "1 to 30 probes; never a rate below n / 2^32",
    .warning = "",
    .settings = "bits_per_key",
    .keys = "text",
    .kinds = kKinds,
    .decode = decode_any,
    .create = create_any,
    .encode = encode_any,
    .settings_of = nullptr,
    .advice = nullptr,
    .create_settings = "bits_per_key",
};

}  // namespace bloomery::leveldb_format
