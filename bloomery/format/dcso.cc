// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/dcso.h"

#include <array>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>

#include "bloomery/filter/classic_layout.h"
#include "bloomery/filter/make_kind.h"
#include "bloomery/format/byte_reader.h"
#include "bloomery/format/kinds.h"

namespace bloomery::dcso {
namespace {

constexpr std::uint64_t kVersion = 1;
constexpr std::uint64_t kMostProbes = 255;
constexpr std::uint64_t kMostBits = std::uint64_t{1} << 60;

AnyFilter decode_any(std::span<const std::byte> bytes, const FormatSettings& settings) {
  refuse_settings(settings, kFormat.name);
  return decode(bytes);
}

AnyFilter create_any(const FilterOptions& options, const FormatSettings& settings) {
  refuse_settings(settings, kFormat.name);
  return make_foreign({.kind = FilterKind::dcso,
                       .geometry = Probes::geometry(options),
                       .capacity = options.capacity,
                       .false_positive_rate = options.false_positive_rate});
}

void encode_any(const FilterContents& contents, const ByteSink& sink) {
  const FilterParameters& parameters = contents.parameters;
  const std::array<std::uint64_t, 6> head{
      kVersion,
      parameters.capacity,
      std::bit_cast<std::uint64_t>(parameters.false_positive_rate),
      parameters.geometry.probe_count,
      parameters.geometry.bit_count,
      contents.inserted};
  sink(std::as_bytes(std::span(head)));
  const auto words = contents.words.front();
  write_bits(words, words.size_bytes(), BitOrder::lsb_first, sink);
  sink(std::as_bytes(std::span(parameters.foreign_data)));
}

constexpr Kind kKind = flat_kind<ClassicLayout<Probes>>({"dcso", "FNV-1"});
constexpr std::array kKinds{&kKind};

}  // namespace

Geometry Probes::geometry(const FilterOptions& options) {
  validate(options);
  const auto keys = static_cast<double>(options.capacity);
  const double square = std::pow(std::log(2.0), 2.0);
  const double bits = std::fabs(std::ceil(keys * std::log(options.false_positive_rate) / square));
  const double probes = std::ceil(std::log(2.0) * bits / keys);
  if (!(bits >= 1 && bits <= static_cast<double>(kMostBits) && probes <= kMostProbes)) {
    throw std::invalid_argument(
        "dcso: " + std::to_string(options.capacity) + " keys at that rate are " +
        std::to_string(bits) + " bits and " + std::to_string(probes) +
        " probes: 1 to 2^60 bits and up to 255 probes are allowed; another rate or capacity");
  }
  return {.bit_count = static_cast<std::uint64_t>(bits),
          .probe_count = static_cast<std::uint32_t>(probes)};
}

AnyFilter decode(std::span<const std::byte> bytes) {
  ByteReader read(bytes, "a DCSO bloom filter");
  if (bytes.size() >= 2 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b}) {
    read.refuse("version", "the file is packed with gzip; unpack it first: gunzip -c FILE");
  }
  const auto version = read.little<std::uint64_t>("version");
  if ((version & 0xff) != kVersion) {
    read.refuse(0, "version", std::to_string(version & 0xff) + "; 1 is known");
  }
  FilterContents contents;
  FilterParameters& parameters = contents.parameters;
  parameters.kind = FilterKind::dcso;
  parameters.capacity = read.little<std::uint64_t>("n");
  if (parameters.capacity == 0) read.refuse(8, "n", "made for 0 keys; at least 1");
  parameters.false_positive_rate = read.little<double>("p");
  if (!(parameters.false_positive_rate > 0 && parameters.false_positive_rate < 1)) {
    read.refuse(16, "p", std::to_string(parameters.false_positive_rate) + "; above 0, below 1");
  }
  const auto probes = read.little<std::uint64_t>("k");
  if (probes == 0 || probes > kMostProbes) {
    read.refuse(24, "k", std::to_string(probes) + " probes; 1 to 255");
  }
  const auto bits = read.little<std::uint64_t>("m");
  if (bits == 0 || bits > kMostBits) {
    read.refuse(32, "m", std::to_string(bits) + " bits; 1 to 2^60");
  }
  parameters.geometry = {.bit_count = bits, .probe_count = static_cast<std::uint32_t>(probes)};
  contents.inserted = read.little<std::uint64_t>("N");
  const std::uint64_t word_count = (bits + kWordBits - 1) / kWordBits;
  const auto body = read.take(word_count * sizeof(std::uint64_t), "bits");
  HeapWords words(word_count);
  std::memcpy(words.words().data(), body.data(), body.size());
  if (bits % kWordBits != 0 && (words.words().back() >> (bits % kWordBits)) != 0) {
    read.refuse(read.offset() - sizeof(std::uint64_t), "last word",
                "bits beyond the last of the " + std::to_string(bits) + " are set");
  }
  const auto data = read.take(read.left(), "user data");
  parameters.foreign_data.assign(reinterpret_cast<const char*>(data.data()), data.size());
  return open_foreign(std::move(contents), std::move(words));
}

namespace {

// User data that are another filter.
std::string unasked(const FilterContents& contents) {
  const std::string& data = contents.parameters.foreign_data;
  try {
    if (data.empty()) return {};
    decode(std::as_bytes(std::span(data)));
  } catch (const FormatError&) {
    return {};
  }
  return "its user data, " + std::to_string(data.size()) +
         " bytes, are another filter: they are kept, but its keys are not asked; each filter takes "
         "a file of its own (tail -c " +
         std::to_string(data.size()) + " FILE is the other)";
}

}  // namespace

const Format kFormat{
    .name = "dcso",
    .system = "DCSO bloom (Go) and Debian's `bloom`, version 1",
    .hash = "FNV-1, 64 bits",
    .rule = "x mod m, x = x g mod 2^64 mod (2^64 - 59), from the hash on",
    .limits = "1 to 255 probes",
    .warning = "",
    .settings = "",
    .keys = "text",
    .kinds = kKinds,
    .decode = decode_any,
    .create = create_any,
    .encode = encode_any,
    .settings_of = nullptr,
    .advice = nullptr,
    .unasked = unasked,
};

}  // namespace bloomery::dcso
