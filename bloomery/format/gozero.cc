// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/gozero.h"

#include <array>
#include <stdexcept>
#include <string>

#include "bloomery/errors.h"
#include "bloomery/filter/classic_layout.h"
#include "bloomery/filter/make_kind.h"
#include "bloomery/filter/sizing.h"
#include "bloomery/format/redis_bitmap.h"

namespace bloomery {
namespace {

constexpr std::uint32_t kProbes = 14;
constexpr std::uint64_t kMostStringBits = std::uint64_t{1} << 32;  // of a string of Redis

}  // namespace

Geometry GozeroProbes::geometry(const FilterOptions& options) {
  const Geometry geometry = geometry_with_probes(kProbes, 0, options);
  if (geometry.bit_count > kMostStringBits) {
    throw std::invalid_argument("gozero: " + std::to_string(options.capacity) +
                                " keys at that rate need " + std::to_string(geometry.bit_count) +
                                " bits; a string of Redis has up to 2^32");
  }
  return geometry;
}

void GozeroProbes::check(const FilterParameters& parameters) {
  const Geometry& geometry = parameters.geometry;
  if (geometry.probe_count == kProbes && geometry.bit_count <= kMostStringBits) return;
  throw FormatError(
      "impossible geometry of a go-zero filter: " + std::to_string(geometry.bit_count) +
      " bits (up to 2^32), " + std::to_string(geometry.probe_count) + " probes (14)");
}

namespace gozero {
namespace {

Geometry geometry_of(const SettingsReader& read) {
  const std::uint64_t bits = read.need_count("bits");
  if (bits > kMostStringBits) read.refuse("bits", "at most 2^32, 512 MiB");
  return {.bit_count = bits, .probe_count = kProbes};
}

AnyFilter decode(std::span<const std::byte> bytes, const FormatSettings& settings) {
  const SettingsReader read(settings, kFormat.name, kFormat.settings);
  return open_bitmap(promised_parameters(FilterKind::gozero, geometry_of(read), read), bytes,
                     "a go-zero bitmap");
}

AnyFilter create(const FilterOptions& options, const FormatSettings& settings) {
  const SettingsReader read = settings_of_new(settings, kFormat);
  const Geometry geometry = settings.empty() ? GozeroProbes::geometry(options) : geometry_of(read);
  return create_bitmap(promised_parameters(FilterKind::gozero, geometry, options), kFormat.name);
}

constexpr Kind kKind =
    flat_kind<ClassicLayout<GozeroProbes>>({"gozero", "murmur3 x64-128, one a probe"});
constexpr std::array kKinds{&kKind};

}  // namespace

const Format kFormat{
    .name = "gozero",
    .system = "go-zero core/bloom over a Redis bitmap, Go",
    .hash = "murmur3 x64-128, seed 0, of the key and a byte i",
    .rule = "h1 of the i-th hash mod m",
    .limits = "14 probes, up to 2^32 bits",
    .warning = "",
    .settings = "bits capacity rate",
    .keys = "text",
    .kinds = kKinds,
    .decode = decode,
    .create = create,
    .encode = write_bitmap,
    .settings_of = sized_bitmap_settings,
    .advice = nullptr,
    .create_settings = "bits",
};

}  // namespace gozero
}  // namespace bloomery
