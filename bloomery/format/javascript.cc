// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/javascript.h"

#include <cmath>
#include <string>

#include "bloomery/errors.h"
#include "bloomery/filter/classic_layout.h"
#include "bloomery/filter/make_kind.h"
#include "bloomery/format/ecmascript.h"
#include "bloomery/format/masked_bitmap.h"
#include "bloomery/format/redis_bitmap.h"
#include "bloomery/format/unit_hash.h"
#include "bloomery/text/utf16.h"

namespace bloomery {
namespace {

std::uint32_t published_hash(Key key, double seed) noexcept {
  double result = 0;
  Utf16Units units(key);
  for (std::uint16_t unit; !std::isnan(result) && units.next(unit);) {
    result = ecmascript::append(seed * result, unit);
  }
  return ecmascript::to_int32(result);
}

std::uint32_t hash_in_doubles(Key key, double seed) noexcept {
  double result = 0;
  for_each_utf16_unit(key, [&](std::uint16_t unit) { result = seed * result + unit; });
  return ecmascript::to_int32(result);
}

}  // namespace

Geometry JavascriptProbes::geometry(const FilterOptions&) {
  return {.bit_count = javascript::kUsualBits, .probe_count = kMaskedProbes};
}

void JavascriptProbes::check(const FilterParameters& parameters) {
  check_masked(parameters, "a JavaScript filter");
}

std::uint64_t JavascriptProbes::position(Key key, std::uint32_t i,
                                         std::uint64_t bit_count) noexcept {
  return published_hash(key, kSeeds[i]) & (bit_count - 1);
}

Geometry JavascriptSaneProbes::geometry(const FilterOptions& options) {
  return JavascriptProbes::geometry(options);
}

void JavascriptSaneProbes::check(const FilterParameters& parameters) {
  JavascriptProbes::check(parameters);
  if (parameters.foreign_options > kInDoubles) {
    throw FormatError("impossible options of a JavaScript filter: " +
                      std::to_string(parameters.foreign_options) + " (0: int32, 1: doubles)");
  }
}

std::uint64_t JavascriptSaneProbes::position(Key key, std::uint32_t i,
                                             std::uint64_t bit_count) const noexcept {
  const std::uint32_t seed = JavascriptProbes::kSeeds[i];
  return (in_doubles_ ? hash_in_doubles(key, seed) : unit_hash(key, seed)) & (bit_count - 1);
}

namespace javascript {
namespace {

std::uint32_t options_of(const SettingsReader& read) {
  return read.word("numbers", "int32 double") == "double" ? JavascriptSaneProbes::kInDoubles : 0;
}

AnyFilter decode(std::span<const std::byte> bytes, const FormatSettings& settings) {
  const SettingsReader read(settings, kFormat.name, kFormat.settings);
  const Geometry geometry = masked_geometry(read, kUsualBits);
  return open_bitmap(promised_parameters(FilterKind::javascript, geometry, read), bytes,
                     "a JavaScript filter", BitOrder::lsb_first);
}

AnyFilter create(const FilterOptions& options, const FormatSettings& settings) {
  const SettingsReader read = settings_of_new(settings, kFormat);
  const Geometry geometry = masked_geometry(read, kUsualBits);
  return create_bitmap(promised_parameters(FilterKind::javascript, geometry, options),
                       kFormat.name);
}

AnyFilter decode_sane(std::span<const std::byte> bytes, const FormatSettings& settings) {
  const SettingsReader read(settings, kSaneFormat.name, kSaneFormat.settings);
  FilterParameters parameters =
      promised_parameters(FilterKind::javascript_sane, masked_geometry(read, kUsualBits), read);
  parameters.foreign_options = options_of(read);
  return open_bitmap(parameters, bytes, "a JavaScript filter", BitOrder::lsb_first);
}

AnyFilter create_sane(const FilterOptions& options, const FormatSettings& settings) {
  const SettingsReader read = settings_of_new(settings, kSaneFormat);
  FilterParameters parameters =
      promised_parameters(FilterKind::javascript_sane, masked_geometry(read, kUsualBits), options);
  parameters.foreign_options = options_of(read);
  return create_bitmap(parameters, kSaneFormat.name);
}

FormatSettings sane_settings(const FilterContents& contents) {
  FormatSettings settings = sized_bitmap_settings(contents);
  settings["numbers"] = contents.parameters.foreign_options == 0 ? "int32" : "double";
  return settings;
}

constexpr Kind kKind =
    flat_kind<ClassicLayout<JavascriptProbes>>({"javascript", "seed h + charAt, 8 seeds"});
constexpr Kind kSaneKind = flat_kind<ClassicLayout<JavascriptSaneProbes>>(
    {"javascript-sane", "seed h + charCodeAt, 8 seeds"});
constexpr std::array kKinds{&kKind};
constexpr std::array kSaneKinds{&kSaneKind};
constexpr std::string_view kLimits =
    "2^30 bits, unless bits=N says a smaller power of two; 8 probes";

}  // namespace

const Format kFormat{
    .name = "javascript",
    .system = "a JavaScript class with charAt, as published; bits as of a BitSet",
    .hash = "seed * result + charAt(i), appended as text, for 8 seeds",
    .rule = "the low bits of the i-th hash",
    .limits = kLimits,
    .warning =
        "every key but a short decimal number is the one bit 0, so that any two such keys "
        "are taken for each other; javascript-sane is what was meant",
    .settings = "bits capacity rate",
    .keys = "text",
    .kinds = kKinds,
    .decode = decode,
    .create = create,
    .encode = write_bit_set,
    .settings_of = sized_bitmap_settings,
    .advice = nullptr,
    .create_settings = "bits",
};

const Format kSaneFormat{
    .name = "javascript-sane",
    .system = "the JavaScript class with charCodeAt; bits as of a BitSet",
    .hash = "seed * result + charCodeAt(i), for 8 seeds",
    .rule = "the low bits of the i-th hash",
    .limits = kLimits,
    .warning =
        "its hashes put keys that differ in the last characters side by side, and short "
        "keys into few bits: the rate is only kept for long, varied keys",
    .settings = "bits numbers capacity rate",
    .keys = "text",
    .kinds = kSaneKinds,
    .decode = decode_sane,
    .create = create_sane,
    .encode = write_bit_set,
    .settings_of = sane_settings,
    .advice = nullptr,
    .create_settings = "bits numbers",
};

}  // namespace javascript
}  // namespace bloomery
