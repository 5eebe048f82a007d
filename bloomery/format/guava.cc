// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/guava.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "bloomery/bits/bit_ops.h"
#include "bloomery/bits/bit_view.h"
#include "bloomery/format/byte_reader.h"
#include "bloomery/format/kinds.h"
#include "bloomery/format/mitz_probes.h"

namespace bloomery::guava {
namespace {

constexpr std::size_t kHeadBytes = 6;

constexpr const char* kWhat = "a Guava BloomFilter";

AnyFilter decode_any(std::span<const std::byte> bytes, const FormatSettings& settings) {
  const SettingsReader known(settings, kFormat.name, kFormat.settings);
  Filter filter = decode(bytes);
  ByteReader read(bytes, kWhat);
  read.take(kHeadBytes + filter.geometry().bit_count / 8, "longs");
  read.end();
  const bool is_old = filter.parameters().kind == FilterKind::mitz_32;
  if (settings.contains("strategy") &&
      (known.word("strategy", "mitz_64 mitz_32") == "mitz_32") != is_old) {
    known.refuse("strategy", std::string("the bytes say ") + (is_old ? "mitz_32" : "mitz_64"));
  }
  return filter;
}

AnyFilter create_any(const FilterOptions& options, const FormatSettings& settings) {
  const SettingsReader read(settings, kFormat.name, kFormat.settings);
  const bool old = read.word("strategy", "mitz_64 mitz_32") == "mitz_32";
  const bool from_size = read.word("k", "from_rate from_size") == "from_size";
  return create(options.capacity, options.false_positive_rate,
                old ? Strategy::mitz_32 : Strategy::mitz_64,
                from_size ? ProbeRule::from_size : ProbeRule::from_rate);
}

void encode_any(const FilterContents& contents, const ByteSink& sink) {
  const FilterParameters& parameters = contents.parameters;
  const std::span<const std::uint64_t> words = contents.words.front();
  if (parameters.geometry.bit_count % kWordBits != 0) {
    throw IncompatibleError("guava: an array of " + std::to_string(parameters.geometry.bit_count) +
                            " bits, where Guava's are whole longs of 64");
  }
  if (words.size() > std::numeric_limits<std::int32_t>::max()) {
    throw IncompatibleError("guava: " + std::to_string(words.size()) +
                            " longs; at most 2147483647 can be written");
  }
  const auto count = static_cast<std::uint32_t>(words.size());
  const std::array head{
      static_cast<std::byte>(parameters.kind == FilterKind::mitz_64 ? Strategy::mitz_64
                                                                    : Strategy::mitz_32),
      static_cast<std::byte>(parameters.geometry.probe_count),
      static_cast<std::byte>(count >> 24),
      static_cast<std::byte>(count >> 16),
      static_cast<std::byte>(count >> 8),
      static_cast<std::byte>(count)};
  sink(head);
  std::array<std::uint64_t, 8192> piece;
  for (std::size_t at = 0; at < words.size(); at += piece.size()) {
    const std::size_t part = std::min(piece.size(), words.size() - at);
    for (std::size_t i = 0; i < part; ++i) piece[i] = __builtin_bswap64(load_word(&words[at + i]));
    sink(std::as_bytes(std::span(piece).first(part)));
  }
}

std::uint64_t ones(const Filter& filter) {
  return BitView(filter.contents().words.front()).count_ones();
}

std::string little_endian(std::uint64_t value, std::size_t byte_count) {
  std::string bytes;
  for (std::size_t i = 0; i < byte_count; ++i) bytes += static_cast<char>(value >> (8 * i));
  return bytes;
}

constexpr std::array kKinds{&kMitz64Kind, &kMitz32Kind};

}  // namespace

Geometry geometry(std::uint64_t capacity, double rate, ProbeRule rule) {
  return guava_geometry(capacity, rate, rule == ProbeRule::from_size);
}

Filter create(std::uint64_t capacity, double rate, Strategy strategy, ProbeRule rule) {
  const bool is_64 = strategy == Strategy::mitz_64;
  return make_foreign({.kind = is_64 ? FilterKind::mitz_64 : FilterKind::mitz_32,
                       .geometry = geometry(capacity, rate, rule),
                       .capacity = capacity == 0 ? 1 : capacity,
                       .false_positive_rate = rate});
}

Filter decode(std::span<const std::byte> bytes) {
  ByteReader read(bytes, kWhat);
  const auto strategy = read.big<std::int8_t>("strategy");
  if (strategy != 0 && strategy != 1) {
    read.refuse(0, "strategy", std::to_string(strategy) + "; 0 and 1 are known");
  }
  const auto probes = read.big<std::uint8_t>("probe count");
  if (probes == 0) read.refuse(1, "probe count", "0; at least 1");
  const auto longs = read.big<std::int32_t>("count of longs");
  if (longs <= 0) read.refuse(2, "count of longs", std::to_string(longs) + "; at least 1");
  const auto body = read.take(static_cast<std::uint64_t>(longs) * 8, "longs");

  FilterContents contents;
  FilterParameters& parameters = contents.parameters;
  parameters.kind = strategy == 1 ? FilterKind::mitz_64 : FilterKind::mitz_32;
  parameters.geometry = {.bit_count = body.size() * 8, .probe_count = probes};
  derive_promise(parameters);
  HeapWords words(static_cast<std::uint64_t>(longs));
  std::memcpy(words.words().data(), body.data(), body.size());
  for (std::uint64_t& word : words.words()) word = __builtin_bswap64(word);
  return open_foreign(contents, std::move(words));
}

std::vector<std::byte> encode(const Filter& filter) {
  return bloomery::encode(kFormat, filter.contents());
}

std::uint64_t approximate_element_count(const Filter& filter) {
  const auto bits = static_cast<double>(filter.geometry().bit_count);
  const double fraction = static_cast<double>(ones(filter)) / bits;
  if (fraction >= 1) {
    throw std::invalid_argument("guava: every bit is set, which any number of keys may have done");
  }
  const double keys = -std::log1p(-fraction) * bits / filter.geometry().probe_count;
  return static_cast<std::uint64_t>(std::floor(keys + 0.5));
}

double expected_fpp(const Filter& filter) {
  return std::pow(
      static_cast<double>(ones(filter)) / static_cast<double>(filter.geometry().bit_count),
      filter.geometry().probe_count);
}

std::string integer_key(std::int32_t value) {
  return little_endian(static_cast<std::uint32_t>(value), 4);
}

std::string long_key(std::int64_t value) {
  return little_endian(static_cast<std::uint64_t>(value), 8);
}

std::string unencoded_chars_key(std::u16string_view text) {
  std::string bytes;
  for (const char16_t unit : text) bytes += little_endian(unit, 2);
  return bytes;
}

std::string string_key(std::u16string_view text) {
  std::string bytes;
  const auto add = [&](std::uint32_t lead, std::uint32_t character, int shift) {
    bytes += static_cast<char>(lead | (character >> shift));
    while (shift > 0) {
      shift -= 6;
      bytes += static_cast<char>(0x80 | ((character >> shift) & 0x3f));
    }
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::uint32_t unit = text[i];
    const bool high = unit >= 0xd800 && unit < 0xdc00;
    if (high && i + 1 < text.size() && text[i + 1] >= 0xdc00 && text[i + 1] < 0xe000) {
      add(0xf0, 0x10000 + ((unit - 0xd800) << 10) + (text[++i] - 0xdc00U), 18);
    } else if (unit >= 0xd800 && unit < 0xe000) {
      bytes += '?';
    } else if (unit < 0x80) {
      bytes += static_cast<char>(unit);
    } else if (unit < 0x800) {
      add(0xc0, unit, 6);
    } else {
      add(0xe0, unit, 12);
    }
  }
  return bytes;
}

const Format kFormat{
    .name = "guava",
    .system = "Guava BloomFilter, Java: writeTo and readFrom",
    .hash = "murmur3 x64-128, seed 0",
    .rule = "mitz_64: ((h1 + i h2) mod 2^63) mod m; mitz_32: the same with the halves of h1",
    .limits = "1 to 255 probes, up to 2^37 - 64 bits",
    .warning = "",
    .settings = "strategy k",
    .keys = "text",
    .kinds = kKinds,
    .decode = decode_any,
    .create = create_any,
    .encode = encode_any,
    .settings_of = nullptr,
    .advice = nullptr,
    .derives_promise = true,
    .create_settings = "strategy k",
};

}  // namespace bloomery::guava
