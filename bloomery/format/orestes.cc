// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/orestes.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "bloomery/errors.h"
#include "bloomery/filter/classic_layout.h"
#include "bloomery/filter/make_kind.h"
#include "bloomery/format/kinds.h"
#include "bloomery/format/redis_bitmap.h"
#include "bloomery/format/redisson.h"
#include "bloomery/text/shortest.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kMostBits = std::numeric_limits<std::int32_t>::max();
constexpr std::uint32_t kMostProbesRead = 255;

// Bits of a counter, which Orestes' own reader wants said of filters without counters too: what its
// builder says where nobody chose. Another one is carried along in foreign_data.
constexpr std::uint64_t kUsualCounterBits = 16;
constexpr std::uint64_t kMostCounterBits = 64;

std::uint64_t counter_bits_of(const FilterParameters& parameters) {
  if (parameters.foreign_data.empty()) return kUsualCounterBits;
  std::uint64_t bits = 0;
  const char* const end = parameters.foreign_data.data() + parameters.foreign_data.size();
  const auto [stop, error] = std::from_chars(parameters.foreign_data.data(), end, bits);
  return error == std::errc() && stop == end && bits <= kMostCounterBits ? bits : 0;
}

}  // namespace

Geometry OrestesProbes::geometry(const FilterOptions& options) {
  return orestes::geometry(options.capacity, options.false_positive_rate);
}

void OrestesProbes::check(const FilterParameters& parameters) {
  if (counter_bits_of(parameters) == 0) {
    throw FormatError("impossible counters of an Orestes filter: c from 1 to 64");
  }
  if (parameters.geometry.bit_count <= kMostBits) return;
  throw FormatError("impossible geometry of an Orestes filter: " +
                    std::to_string(parameters.geometry.bit_count) + " bits (up to 2^31 - 1)");
}

namespace orestes {
namespace {

Geometry geometry_of(const SettingsReader& read) {
  const auto m = read.count("m");
  const auto k = read.count("k");
  if (m.value_or(1) > kMostBits) read.refuse("m", "at most 2^31 - 1");
  if (k.value_or(1) > kMostProbesRead) read.refuse("k", "at most 255");
  if (m && k) return {.bit_count = *m, .probe_count = static_cast<std::uint32_t>(*k)};
  const auto n = read.count("n");
  const auto p = read.rate("p");
  if (!n || !p) read.refuse_missing("m and k, or n and p: the hash beside the bitmap has all four");
  return geometry(*n, *p);
}

AnyFilter decode(std::span<const std::byte> bytes, const FormatSettings& settings) {
  const SettingsReader read(settings, kFormat.name, kFormat.settings);
  read.word("hashmethod", "Murmur3KirschMitzenmacher");
  return open_bitmap(parameters_of(geometry_of(read), read), bytes,
                     "the bitmap of an Orestes filter");
}

AnyFilter create(const FilterOptions& options, const FormatSettings& settings) {
  settings_of_new(settings, kFormat);
  return make_foreign(
      promised_parameters(FilterKind::orestes, OrestesProbes::geometry(options), options));
}

FormatSettings settings_of(const FilterContents& contents) {
  const FilterParameters& parameters = contents.parameters;
  return {{"m", std::to_string(parameters.geometry.bit_count)},
          {"k", std::to_string(parameters.geometry.probe_count)},
          {"n", std::to_string(parameters.capacity)},
          {"p", redisson::java_double(parameters.false_positive_rate)},
          {"c", std::to_string(counter_bits_of(parameters))},
          {"hashmethod", "Murmur3KirschMitzenmacher"}};
}

constexpr std::array kKinds{&kKind};

}  // namespace

Geometry geometry(std::uint64_t capacity, double rate) {
  const auto keys = static_cast<double>(capacity);
  const double ln2 = std::log(2.0);
  const double bits = std::ceil(-1 * (keys * std::log(rate)) / (ln2 * ln2));
  const double probes = std::ceil(ln2 * bits / keys);
  if (!(rate > 0 && rate < 1) || capacity == 0 || bits > static_cast<double>(kMostBits) ||
      probes > kMostProbesRead) {
    throw std::invalid_argument("orestes: " + std::to_string(capacity) + " keys at a rate of " +
                                shortest(rate) + " would take " + shortest(bits) + " bits and " +
                                shortest(probes) + " probes; up to 2^31 - 1 bits and 255 probes");
  }
  return {.bit_count = static_cast<std::uint64_t>(bits),
          .probe_count = static_cast<std::uint32_t>(probes)};
}

FilterParameters parameters_of(const Geometry& geometry, const SettingsReader& read) {
  FilterParameters parameters{.kind = FilterKind::orestes, .geometry = geometry};
  derive_promise(parameters);
  parameters.capacity = read.count("n").value_or(parameters.capacity);
  parameters.false_positive_rate = read.rate("p").value_or(parameters.false_positive_rate);
  const std::uint64_t counter_bits = read.count("c").value_or(kUsualCounterBits);
  if (counter_bits > kMostCounterBits) read.refuse("c", "at most 64");
  if (counter_bits != kUsualCounterBits) parameters.foreign_data = std::to_string(counter_bits);
  return parameters;
}

constinit const Kind kKind =
    flat_kind<ClassicLayout<OrestesProbes>>({"orestes", "murmur3 x86-32, twice"});

const Format kFormat{
    .name = "orestes",
    .system = "Orestes-Bloomfilter, Java: its bitmap in Redis",
    .hash = "murmur3 x86-32, h1 with seed 0, h2 with seed h1",
    .rule = "(h1 + i h2) mod m",
    .limits = "up to 2^31 - 1 bits, 255 probes",
    .warning = "",
    .settings = "m k n p c hashmethod",
    .keys = "text",
    .kinds = kKinds,
    .decode = decode,
    .create = create,
    .encode = write_bitmap,
    .settings_of = settings_of,
    .advice = nullptr,
};

}  // namespace orestes
}  // namespace bloomery
