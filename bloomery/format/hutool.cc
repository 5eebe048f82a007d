// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/hutool.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>

#include "bloomery/errors.h"
#include "bloomery/filter/classic_layout.h"
#include "bloomery/filter/make_kind.h"
#include "bloomery/filter/sizing.h"
#include "bloomery/format/hutool_hashes.h"
#include "bloomery/format/kinds.h"
#include "bloomery/format/redis_bitmap.h"
#include "bloomery/text/shortest.h"

namespace bloomery {
namespace {

using StringHash = std::int32_t (*)(Key) noexcept;

constexpr std::array<StringHash, 5> kBitMapHashes{
    hutool::default_hash, hutool::elf_hash, hutool::js_hash, hutool::pjw_hash, hutool::sdbm_hash};
constexpr std::array<StringHash, 8> kBitSetHashes{
    hutool::rs_hash, hutool::js_hash,  hutool::elf_hash,  hutool::bkdr_hash,
    hutool::ap_hash, hutool::djb_hash, hutool::sdbm_hash, hutool::pjw_hash};

constexpr std::uint64_t kBitMaps = kBitMapHashes.size();
constexpr std::uint64_t kMebibit = std::uint64_t{8} << 20;  // bits of a MiB
constexpr std::uint64_t kMostMebibytes = 8191;              // of one bitmap: its ints are an array
constexpr std::uint64_t kMostBitSetBits = std::numeric_limits<std::int32_t>::max();

// |hash mod size|, where % has the sign of the hash.
std::uint64_t remainder(std::int32_t hash, std::uint64_t size) noexcept {
  return static_cast<std::uint64_t>(std::abs(std::int64_t{hash})) % size;
}

}  // namespace

Geometry HutoolBitMapProbes::geometry(const FilterOptions& options) {
  const std::uint64_t fewest = geometry_with_probes(kBitMaps, 0, options).bit_count;
  const std::uint64_t mebibytes = (fewest + kBitMaps * kMebibit - 1) / (kBitMaps * kMebibit);
  return hutool::bitmap_geometry(mebibytes * kBitMaps);
}

void HutoolBitMapProbes::check(const FilterParameters& parameters) {
  const Geometry& geometry = parameters.geometry;
  if (geometry.probe_count == kBitMaps && geometry.bit_count % (kBitMaps * kMebibit) == 0 &&
      geometry.bit_count / (kBitMaps * kMebibit) <= kMostMebibytes) {
    return;
  }
  throw FormatError(
      "impossible geometry of a BitMapBloomFilter: " + std::to_string(geometry.bit_count) +
      " bits (five bitmaps of up to 8191 whole MiB), " + std::to_string(geometry.probe_count) +
      " probes (5)");
}

std::uint64_t HutoolBitMapProbes::position(Key key, std::uint32_t i,
                                           std::uint64_t bit_count) noexcept {
  const std::uint64_t size = bit_count / kBitMaps;
  return i * size + remainder(kBitMapHashes[i](key), size);
}

Geometry HutoolBitSetProbes::geometry(const FilterOptions& options) {
  Geometry best;
  for (std::uint32_t probes = 1; probes <= kBitSetHashes.size(); ++probes) {
    const Geometry each = geometry_with_probes(probes, 0, options);
    if (probes == 1 || each.bit_count < best.bit_count) best = each;
  }
  const std::uint64_t share = (best.bit_count + best.probe_count - 1) / best.probe_count;
  if (share > kMostBitSetBits / best.probe_count) {
    throw std::invalid_argument("hutool-bitset: " + std::to_string(options.capacity) +
                                " keys at a rate of " + shortest(options.false_positive_rate) +
                                " would take " + std::to_string(best.bit_count) +
                                " bits; up to 2^31 - 1 are possible here");
  }
  return hutool::bitset_geometry(share, best.probe_count);
}

void HutoolBitSetProbes::check(const FilterParameters& parameters) {
  const Geometry& geometry = parameters.geometry;
  if (geometry.probe_count <= kBitSetHashes.size() && geometry.bit_count <= kMostBitSetBits &&
      geometry.bit_count % geometry.probe_count == 0) {
    return;
  }
  throw FormatError(
      "impossible geometry of a BitSetBloomFilter: " + std::to_string(geometry.bit_count) +
      " bits (a multiple of the probes, up to 2^31 - 1), " + std::to_string(geometry.probe_count) +
      " probes (1 to 8)");
}

std::uint64_t HutoolBitSetProbes::position(Key key, std::uint32_t i,
                                           std::uint64_t bit_count) noexcept {
  return remainder(kBitSetHashes[i](key), bit_count);
}

namespace hutool {
namespace {

constexpr const char* kBitMapWhat = "the bitmaps of a BitMapBloomFilter";

// The geometry that the constructor's m gives; without m, that of the bytes, which are whole
// bitmaps.
Geometry geometry_of(std::span<const std::byte> bytes, const SettingsReader& read) {
  if (const auto m = read.count("m")) return bitmap_geometry(*m);
  constexpr std::uint64_t kBytes = kBitMaps * kMebibit / 8;
  const std::uint64_t mebibytes = bytes.size() / kBytes;
  if (bytes.size() % kBytes != 0 || mebibytes == 0 || mebibytes > kMostMebibytes) {
    throw FormatError(std::string("not ") + kBitMapWhat + ": " + std::to_string(bytes.size()) +
                      " bytes, where five bitmaps of whole MiB take a multiple of " +
                      std::to_string(kBytes) + "; if the end is missing, say the constructor's m");
  }
  return bitmap_geometry(mebibytes * kBitMaps);
}

AnyFilter decode_bitmap(std::span<const std::byte> bytes, const FormatSettings& settings) {
  const SettingsReader read(settings, kBitMapFormat.name, kBitMapFormat.settings);
  const FilterParameters parameters =
      promised_parameters(FilterKind::hutool_bitmap, geometry_of(bytes, read), read);
  return open_bitmap(parameters, bytes, kBitMapWhat, BitOrder::lsb_first);
}

AnyFilter create_bitmap_filter(const FilterOptions& options, const FormatSettings& settings) {
  const SettingsReader read = settings_of_new(settings, kBitMapFormat);
  const auto m = read.count("m");
  const Geometry geometry = m ? bitmap_geometry(*m) : HutoolBitMapProbes::geometry(options);
  return create_bitmap(promised_parameters(FilterKind::hutool_bitmap, geometry, options),
                       kBitMapFormat.name);
}

void encode_bitmap(const FilterContents& contents, const ByteSink& sink) {
  write_bits(contents.words.front(), contents.parameters.geometry.bit_count / 8,
             BitOrder::lsb_first, sink);
}

FormatSettings settings_of_bitmap(const FilterContents& contents) {
  FormatSettings settings = sized_bitmap_settings(contents);
  settings.erase("bits");
  settings["m"] = std::to_string(contents.parameters.geometry.bit_count / kMebibit);
  return settings;
}

AnyFilter decode_bitset(std::span<const std::byte> bytes, const FormatSettings& settings) {
  const SettingsReader read(settings, kBitSetFormat.name, kBitSetFormat.settings);
  const Geometry geometry = bitset_geometry(read.need_count("c"), read.need_count("k"));
  FilterParameters parameters{.kind = FilterKind::hutool_bitset, .geometry = geometry};
  derive_promise(parameters);
  if (const auto n = read.count("n")) {
    parameters.capacity = *n;
    const double rate = false_positive_probability(geometry, *n);
    if (rate > 0 && rate < 1) parameters.false_positive_rate = rate;
  }
  return open_bitmap(parameters, bytes, "the BitSet of a BitSetBloomFilter", BitOrder::lsb_first);
}

AnyFilter create_bitset(const FilterOptions& options, const FormatSettings& settings) {
  const SettingsReader read = settings_of_new(settings, kBitSetFormat);
  const Geometry geometry = settings.empty()
                                ? HutoolBitSetProbes::geometry(options)
                                : bitset_geometry(read.need_count("c"), read.need_count("k"));
  return create_bitmap(promised_parameters(FilterKind::hutool_bitset, geometry, options),
                       kBitSetFormat.name);
}

FormatSettings settings_of_bitset(const FilterContents& contents) {
  const Geometry& geometry = contents.parameters.geometry;
  return {{"c", std::to_string(geometry.bit_count / geometry.probe_count)},
          {"n", std::to_string(contents.parameters.capacity)},
          {"k", std::to_string(geometry.probe_count)}};
}

constexpr std::string_view kHash = "string hashes of Hutool";
constexpr Kind kBitMapKind = flat_kind<ClassicLayout<HutoolBitMapProbes>>({"hutool", kHash});
constexpr Kind kBitSetKind = flat_kind<ClassicLayout<HutoolBitSetProbes>>({"hutool-bitset", kHash});
constexpr std::array kBitMapKinds{&kBitMapKind};
constexpr std::array kBitSetKinds{&kBitSetKind};
constexpr std::string_view kWarning =
    "its hashes put keys that differ in the last characters side by side, and some are much alike: "
    "the rate is only kept for varied keys";

}  // namespace

Geometry bitmap_geometry(std::uint64_t m) {
  const std::uint64_t mebibytes = m / kBitMaps;
  if (mebibytes == 0) {
    throw std::invalid_argument("hutool: m=" + std::to_string(m) +
                                " is less than one MiB for each of five bitmaps: the class divides "
                                "by zero when a key is added; at least 5");
  }
  if (mebibytes > kMostMebibytes) {
    throw std::invalid_argument("hutool: m=" + std::to_string(m) +
                                " needs more ints than an array has; at most 40959");
  }
  return {.bit_count = kBitMaps * mebibytes * kMebibit, .probe_count = kBitMaps};
}

Geometry bitset_geometry(std::uint64_t c, std::uint64_t k) {
  if (k == 0 || k > kBitSetHashes.size()) {
    throw std::invalid_argument("hutool-bitset: k=" + std::to_string(k) +
                                "; there are 8 hashes, so from 1 to 8");
  }
  if (c == 0 || c > kMostBitSetBits / k) {
    throw std::invalid_argument("hutool-bitset: c=" + std::to_string(c) + ", k=" +
                                std::to_string(k) + "; c k bits must be from 1 to 2^31 - 1");
  }
  return {.bit_count = c * k, .probe_count = static_cast<std::uint32_t>(k)};
}

double false_positive_probability(const Geometry& geometry, std::uint64_t n) noexcept {
  const double probes = geometry.probe_count;
  const double load = probes * static_cast<double>(n) / static_cast<double>(geometry.bit_count);
  return std::pow(1 - std::exp(-load), probes);
}

const Format kBitMapFormat{
    .name = "hutool",
    .system = "Hutool BitMapBloomFilter(m), Java: its five bitmaps",
    .hash = "hashCode, ELF, JS, PJW, SDBM of chars, int32",
    .rule = "|i-th hash mod size| of the i-th bitmap",
    .limits = "5 probes, five bitmaps of 1 to 8191 MiB",
    .warning = kWarning,
    .settings = "m capacity rate",
    .keys = "text",
    .kinds = kBitMapKinds,
    .decode = decode_bitmap,
    .create = create_bitmap_filter,
    .encode = encode_bitmap,
    .settings_of = settings_of_bitmap,
    .advice = nullptr,
    .create_settings = "m",
};

const Format kBitSetFormat{
    .name = "hutool-bitset",
    .system = "Hutool BitSetBloomFilter(c, n, k), Java: BitSet.toByteArray()",
    .hash = "RS, JS, ELF, BKDR, AP, DJB, SDBM, PJW of chars, int32",
    .rule = "|i-th hash mod m|",
    .limits = "1 to 8 probes, up to 2^31 - 1 bits",
    .warning = kWarning,
    .settings = "c n k",
    .keys = "text",
    .kinds = kBitSetKinds,
    .decode = decode_bitset,
    .create = create_bitset,
    .encode = write_bit_set,
    .settings_of = settings_of_bitset,
    .advice = nullptr,
    .create_settings = "c k",
};

}  // namespace hutool
}  // namespace bloomery
