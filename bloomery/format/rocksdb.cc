// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/rocksdb.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>

#include "bloomery/errors.h"
#include "bloomery/filter/make_kind.h"
#include "bloomery/format/byte_reader.h"
#include "bloomery/format/kinds.h"

namespace bloomery::rocksdb_format {
namespace {

constexpr std::uint64_t kLineBytes = FastLocal::kLineBits / 8;
constexpr std::uint64_t kMostBytes = 0xffffffc0;
constexpr std::size_t kTrailerBytes = 5;
constexpr std::uint32_t kGolden = 0x9e3779b9;

// Powers of kGolden: each probe remixes the hash by one factor more.
constexpr auto kPowers = [] {
  std::array<std::uint32_t, FastLocal::kMostProbes> powers{1};
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * kGolden;
  return powers;
}();

// RocksDB's table of probes for thousandths of bits a key: those best within a line.
std::uint32_t probes_for(std::uint64_t millibits) noexcept {
  constexpr std::uint64_t kUpTo[] = {2080,  3580,  5100,  6640,  8300,  10070,
                                     11720, 14001, 16050, 18300, 22001, 25501};
  constexpr std::uint32_t kRuleEnds = 24;
  for (std::uint32_t i = 0; i < std::size(kUpTo); ++i) {
    if (millibits <= kUpTo[i]) return i + 1;
  }
  return millibits > 50000 ? kRuleEnds : static_cast<std::uint32_t>((millibits - 1) / 2000 - 1);
}

Geometry geometry_of(std::uint64_t lines, std::uint32_t probes) noexcept {
  return {.bit_count = lines * FastLocal::kLineBits, .probe_count = probes, .lines_per_key = 1};
}

double rate_of(const Geometry& geometry, std::uint64_t key_count) noexcept {
  return OneLineLayout<FastLocal>::rate({.geometry = geometry}, static_cast<double>(key_count));
}

AnyFilter decode_any(std::span<const std::byte> bytes, const FormatSettings& settings) {
  refuse_settings(settings, kFormat.name);
  return decode(bytes);
}

AnyFilter create_any(const FilterOptions& options, const FormatSettings& settings) {
  const SettingsReader read(settings, kFormat.name, kFormat.settings);
  FilterParameters parameters{.kind = FilterKind::rocksdb,
                              .capacity = options.capacity,
                              .false_positive_rate = options.false_positive_rate};
  validate(options);
  if (const auto bits_per_key = read.number("bits_per_key")) {
    parameters.geometry = geometry(options.capacity, *bits_per_key);
    parameters.false_positive_rate =
        std::clamp(rate_of(parameters.geometry, options.capacity), kMinRate, 0.999);
  } else {
    parameters.geometry = FastLocal::geometry(options);
  }
  return make_foreign(parameters);
}

void encode_any(const FilterContents& contents, const ByteSink& sink) {
  const Geometry& geometry = contents.parameters.geometry;
  write_bits(contents.words.front(), geometry.bit_count / 8, BitOrder::lsb_first, sink);
  const std::array<std::uint8_t, kTrailerBytes> trailer{
      0xff, 0, static_cast<std::uint8_t>(geometry.probe_count), 0, 0};
  sink(std::as_bytes(std::span(trailer)));
}

constexpr Kind kKind = flat_kind<OneLineLayout<FastLocal>>({"rocksdb", "RocksDB's XXH3 preview"});
constexpr std::array kKinds{&kKind};

}  // namespace

std::uint32_t FastLocal::bit(HashPair hash, std::uint32_t i) noexcept {
  return (static_cast<std::uint32_t>(hash.h1 >> 32) * kPowers[i]) >> 23;
}

double FastLocal::line_rate(const BitView& line, std::uint32_t probes) noexcept {
  return std::pow(static_cast<double>(line.count_ones()) / kLineBits, probes);
}

Geometry geometry(std::uint64_t key_count, double bits_per_key) {
  if (!(bits_per_key >= 1 && bits_per_key <= 100)) {
    throw std::invalid_argument("rocksdb: " + std::to_string(bits_per_key) +
                                " bits a key: 1 to 100");
  }
  const auto millibits = static_cast<std::uint64_t>(bits_per_key * 1000 + 0.500001);
  if (key_count > kMostBytes * 8000 / millibits) {
    throw std::invalid_argument("rocksdb: " + std::to_string(key_count) +
                                " keys take more than 4 GiB, the most a filter has");
  }
  const std::uint64_t bytes = (key_count * millibits + 7999) / 8000;
  const std::uint64_t lines = std::max<std::uint64_t>(1, (bytes + kLineBytes - 1) / kLineBytes);
  return geometry_of(lines, probes_for(millibits));
}

Geometry FastLocal::geometry(const FilterOptions& options) {
  validate(options);
  for (int tenths = 10; tenths <= 1000; ++tenths) {
    const Geometry found = rocksdb_format::geometry(options.capacity, tenths / 10.0);
    if (rate_of(found, options.capacity) <= options.false_positive_rate) return found;
  }
  throw std::invalid_argument(
      "rocksdb: not even 100 bits a key, the most it takes, keep that rate; a higher one");
}

void FastLocal::check(const FilterParameters& parameters) {
  const Geometry& geometry = parameters.geometry;
  if (geometry.probe_count > kMostProbes || geometry.bit_count / 8 > kMostBytes) {
    throw FormatError(
        "impossible geometry of a RocksDB filter: " + std::to_string(geometry.probe_count) +
        " probes (1 to 30), " + std::to_string(geometry.bit_count) + " bits (up to 2^35 - 512)");
  }
}

AnyFilter decode(std::span<const std::byte> bytes) {
  FilterContents contents;
  FilterParameters& parameters = contents.parameters;
  parameters.kind = FilterKind::rocksdb;
  const auto finish = [&](std::uint64_t lines, std::uint32_t probes) {
    parameters.geometry = geometry_of(lines, probes);
    derive_promise(parameters);
    parameters.false_positive_rate =
        std::max(kMinRate, rate_of(parameters.geometry, parameters.capacity));
    return HeapWords(lines * kLineBytes / sizeof(std::uint64_t));
  };
  if (bytes.size() <= kTrailerBytes) {
    HeapWords none = finish(1, 1);
    return open_foreign(contents, std::move(none));
  }

  const std::size_t body_bytes = bytes.size() - kTrailerBytes;
  ByteReader read(bytes, "a RocksDB Bloom filter");
  const auto body = read.take(body_bytes, "lines");
  const auto marker = read.little<std::uint8_t>("marker");
  if (marker != 0xff) {
    read.refuse(body_bytes, "marker",
                marker == 0xfe  ? "a Ribbon filter; only Bloom filters are read"
                : marker < 0x80 ? "a Bloom filter of before format_version 5, or none at all"
                                : std::to_string(marker) + " is reserved; 255 is known");
  }
  const auto kind = read.little<std::uint8_t>("kind");
  if (kind != 0) read.refuse(body_bytes + 1, "kind", std::to_string(kind) + "; 0 is known");
  const auto probes = read.little<std::uint8_t>("probes");
  if (probes == 0 || probes > FastLocal::kMostProbes) {
    read.refuse(body_bytes + 2, "probes", std::to_string(probes) + "; 1 to 30, in lines of 64");
  }
  if (read.little<std::uint16_t>("end") != 0) {
    read.refuse(body_bytes + 3, "end", "not the two zeros that are known");
  }
  if (body_bytes % kLineBytes != 0 || body_bytes > kMostBytes) {
    read.refuse(0, "lines", std::to_string(body_bytes) + " bytes; whole lines of 64, below 4 GiB");
  }
  HeapWords words = finish(body_bytes / kLineBytes, probes);
  std::memcpy(words.words().data(), body.data(), body.size());
  return open_foreign(contents, std::move(words));
}

const Format kFormat{
    .name = "rocksdb",
    .system = "RocksDB full filter block, NewBloomFilterPolicy, format_version 5",
    .hash = "RocksDB's XXH3 preview, 64 bits",
    .rule = "line by the low 32 bits; in it the top 9 bits of (high 32 bits x 0x9e3779b9^i)",
    .limits = "1 to 30 probes, 1 to 100 bits a key, up to 4 GiB",
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

}  // namespace bloomery::rocksdb_format
