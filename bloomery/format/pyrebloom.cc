// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/pyrebloom.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "bloomery/bits/bit_ops.h"
#include "bloomery/errors.h"
#include "bloomery/filter/classic_layout.h"
#include "bloomery/filter/make_kind.h"
#include "bloomery/format/kinds.h"
#include "bloomery/format/redis_bitmap.h"
#include "bloomery/hash/murmur2.h"
#include "bloomery/text/shortest.h"

namespace bloomery {
namespace {

// The seeds of the probes: each follows from the one before.
constexpr std::array<std::uint32_t, 256> kSeeds = [] {
  std::array<std::uint32_t, 256> seeds{};
  std::uint32_t seed = 314159265;
  for (std::uint32_t& each : seeds) {
    each = seed;
    seed = 1664525 * seed + 1013904223;
  }
  return seeds;
}();

}  // namespace

Geometry PyrebloomProbes::geometry(const FilterOptions& options) {
  return pyrebloom::geometry(options.capacity, options.false_positive_rate);
}

std::uint64_t PyrebloomProbes::position(Key key, std::uint32_t i,
                                        std::uint64_t bit_count) noexcept {
  return murmur2_64a(key, kSeeds[i]) % bit_count;
}

namespace pyrebloom {
namespace {

constexpr const char* kWhat = "a pyreBloom bitmap";
constexpr std::uint64_t kPartBytes = (kPartBits + 7) / 8;
constexpr std::size_t kPieceWords = 8192;

// The word that begins with bit `first`; what is beyond the words is zero.
std::uint64_t word_at(std::span<const std::uint64_t> words, std::uint64_t first) noexcept {
  const std::uint64_t at = first / kWordBits;
  const auto shift = static_cast<unsigned>(first % kWordBits);
  const std::uint64_t low = at < words.size() ? load_word(&words[at]) >> shift : 0;
  if (shift == 0 || at + 1 >= words.size()) return low;
  return low | load_word(&words[at + 1]) << (kWordBits - shift);
}

void or_word_at(std::span<std::uint64_t> words, std::uint64_t first, std::uint64_t bits) noexcept {
  if (bits == 0) return;
  const std::uint64_t at = first / kWordBits;
  const auto shift = static_cast<unsigned>(first % kWordBits);
  words[at] |= bits << shift;
  const std::uint64_t high = shift == 0 ? 0 : bits >> (kWordBits - shift);
  if (high != 0) words[at + 1] |= high;
}

// How many bits from `first` on, up to `count`, it takes to reach the last that is set.
std::uint64_t used_bits(std::span<const std::uint64_t> words, std::uint64_t first,
                        std::uint64_t count) noexcept {
  while (count > 0) {
    const std::uint64_t part = (count - 1) % kWordBits + 1;
    std::uint64_t word = word_at(words, first + count - part);
    if (part < kWordBits) word &= bit_mask(part) - 1;
    if (word != 0) return count - part + static_cast<std::uint64_t>(std::bit_width(word));
    count -= part;
  }
  return 0;
}

// The first `byte_count` bytes of the string whose bits begin with bit `first`.
void write_part(std::span<const std::uint64_t> words, std::uint64_t first, std::uint64_t part_bits,
                std::uint64_t byte_count, const ByteSink& sink) {
  std::array<std::uint64_t, kPieceWords> piece;
  for (std::uint64_t at = 0; at < byte_count; at += sizeof piece) {
    const std::uint64_t bytes = std::min<std::uint64_t>(byte_count - at, sizeof piece);
    for (std::uint64_t i = 0; i < (bytes + 7) / 8; ++i) {
      const std::uint64_t offset = at * 8 + i * kWordBits;
      piece[i] = word_at(words, first + offset);
      if (part_bits - offset < kWordBits) piece[i] &= bit_mask(part_bits - offset) - 1;
    }
    write_bits(piece, bytes, BitOrder::msb_first, sink);
  }
}

void read_part(std::span<const std::byte> bytes, std::uint64_t first, std::uint64_t part_bits,
               std::span<std::uint64_t> words) {
  if (bytes.size() > (part_bits + 7) / 8) {
    throw FormatError(std::string("not ") + kWhat + ": " + std::to_string(bytes.size()) +
                      " bytes in one string, where " + std::to_string(part_bits) + " bits take " +
                      std::to_string((part_bits + 7) / 8) + " at the most");
  }
  std::array<std::uint64_t, kPieceWords> piece;
  for (std::uint64_t at = 0; at < bytes.size(); at += sizeof piece) {
    const auto source = bytes.subspan(at, std::min<std::uint64_t>(bytes.size() - at, sizeof piece));
    const std::uint64_t bits = std::min(part_bits - at * 8, std::uint64_t{source.size()} * 8);
    piece.fill(0);
    const auto used = std::span(piece).first((source.size() + 7) / 8);
    read_bits(source, BitOrder::msb_first, bits, used, kWhat);
    for (std::size_t i = 0; i < used.size(); ++i) {
      or_word_at(words, first + at * 8 + i * kWordBits, used[i]);
    }
  }
}

std::uint64_t bits_of_part(std::uint64_t bit_count, std::uint64_t part, std::uint64_t part_bits) {
  return std::min(part_bits, bit_count - part * part_bits);
}

AnyFilter decode(std::span<const std::byte> bytes, const FormatSettings& settings) {
  const SettingsReader read(settings, kFormat.name, kFormat.settings);
  const auto parameters = bitmap_parameters(FilterKind::pyrebloom, read, geometry);
  std::vector<std::span<const std::byte>> parts;
  for (; bytes.size() > kPartBytes; bytes = bytes.subspan(kPartBytes)) {
    parts.push_back(bytes.first(kPartBytes));
  }
  parts.push_back(bytes);
  return decode_parts(parameters, parts);
}

AnyFilter create(const FilterOptions& options, const FormatSettings& settings) {
  settings_of_new(settings, kFormat);
  return make_foreign(
      promised_parameters(FilterKind::pyrebloom, PyrebloomProbes::geometry(options), options));
}

void encode(const FilterContents& contents, const ByteSink& sink) {
  const auto words = contents.words.front();
  const std::uint64_t bit_count = contents.parameters.geometry.bit_count;
  const std::uint64_t last = part_count(bit_count) - 1;
  for (std::uint64_t part = 0; part < last; ++part) {
    write_part(words, part * kPartBits, kPartBits, kPartBytes, sink);
  }
  encode_part(contents, last, sink);
}

constexpr Kind kKind =
    flat_kind<ClassicLayout<PyrebloomProbes>>({"pyrebloom", "MurmurHash64A, one a probe"});
constexpr std::array kKinds{&kKind};

}  // namespace

Geometry geometry(std::uint64_t capacity, double rate) {
  if (capacity == 0 || capacity > std::numeric_limits<std::uint32_t>::max() ||
      !(rate > 0 && rate < 1)) {
    throw std::invalid_argument("pyrebloom: " + std::to_string(capacity) + " keys at a rate of " +
                                shortest(rate) +
                                "; from 1 to 4294967295 keys, a rate above 0 and below 1");
  }
  const auto keys = static_cast<double>(capacity);
  const double bits = std::trunc(-(std::log(rate) * keys) / (std::log(2.0) * std::log(2.0)));
  const double probes = std::ceil(std::log(2.0) * bits / keys);
  if (bits < 1 || probes > 255) {
    throw std::invalid_argument("pyrebloom: " + std::to_string(capacity) + " keys at a rate of " +
                                shortest(rate) + " would take " + shortest(bits) + " bits and " +
                                shortest(probes) +
                                " probes; at least 1 bit and at most 255 probes are possible here");
  }
  return {.bit_count = static_cast<std::uint64_t>(bits),
          .probe_count = static_cast<std::uint32_t>(probes)};
}

std::uint64_t part_count(std::uint64_t bit_count, std::uint64_t part_bits) noexcept {
  return (bit_count + part_bits - 1) / part_bits;
}

void encode_part(const FilterContents& contents, std::uint64_t part, const ByteSink& sink,
                 std::uint64_t part_bits) {
  const auto words = contents.words.front();
  const std::uint64_t first = part * part_bits;
  const std::uint64_t bits = bits_of_part(contents.parameters.geometry.bit_count, part, part_bits);
  write_part(words, first, bits, (used_bits(words, first, bits) + 7) / 8, sink);
}

AnyFilter decode_parts(const FilterParameters& parameters, Parts parts, std::uint64_t part_bits) {
  const std::uint64_t bit_count = parameters.geometry.bit_count;
  const FilterContents contents{.parameters = parameters};
  check_any_contents(contents);
  if (parts.size() > part_count(bit_count, part_bits)) {
    throw FormatError(std::string("not ") + kWhat + ": " + std::to_string(parts.size()) +
                      " strings, where " + std::to_string(bit_count) + " bits take " +
                      std::to_string(part_count(bit_count, part_bits)));
  }
  HeapWords words(any_word_count(contents));
  for (std::uint64_t part = 0; part < parts.size(); ++part) {
    read_part(parts[part], part * part_bits, bits_of_part(bit_count, part, part_bits),
              words.words());
  }
  return open_foreign(contents, std::move(words));
}

const Format kFormat{
    .name = "pyrebloom",
    .system = "pyreBloom over Redis bitmaps, Python",
    .hash = "MurmurHash64A, a seed for each probe",
    .rule = "the i-th hash mod m; strings of 2^32 - 1 bits each",
    .limits = "up to 255 probes",
    .warning = "",
    .settings = "bits probes capacity rate",
    .keys = "text",
    .kinds = kKinds,
    .decode = decode,
    .create = create,
    .encode = encode,
    .settings_of = bitmap_settings,
    .advice = nullptr,
};

}  // namespace pyrebloom
}  // namespace bloomery
