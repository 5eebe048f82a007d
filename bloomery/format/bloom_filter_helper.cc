// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/bloom_filter_helper.h"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <string>

#include "bloomery/format/kinds.h"
#include "bloomery/format/mitz_probes.h"
#include "bloomery/format/redis_bitmap.h"

namespace bloomery::bloom_filter_helper {
namespace {

AnyFilter decode(std::span<const std::byte> bytes, const FormatSettings& settings) {
  const SettingsReader read(settings, kFormat.name, kFormat.settings);
  return open_bitmap(bitmap_parameters(FilterKind::mitz_32, read, geometry), bytes, kFormat.system);
}

AnyFilter create(const FilterOptions& options, const FormatSettings& settings) {
  settings_of_new(settings, kFormat);
  return make_foreign(parameters_for(
      FilterKind::mitz_32, geometry(options.capacity, options.false_positive_rate), options));
}

constexpr std::array kKinds{&kMitz32Kind};

}  // namespace

Geometry geometry(std::uint64_t capacity, double rate) {
  const auto keys = static_cast<double>(capacity);
  const double most = std::numeric_limits<std::int32_t>::max();
  const double bits = std::min(mitz_bit_count(keys, rate), most);
  if (!(bits >= 1)) {
    throw std::invalid_argument("bloom-filter-helper: " + std::to_string(capacity) +
                                " keys at a rate of " + std::to_string(rate) +
                                " would have no bits, which the class divides by");
  }
  const std::uint32_t probes = mitz_probe_count(bits, keys);
  if (probes > 255) {
    throw std::invalid_argument("bloom-filter-helper: " + std::to_string(probes) +
                                " probes; at most 255 are possible here");
  }
  return {.bit_count = static_cast<std::uint64_t>(bits), .probe_count = probes};
}

const Format kFormat{
    .name = "bloom-filter-helper",
    .system = "BloomFilterHelper over a Redis bitmap, Java",
    .hash = "murmur3 x64-128, seed 0",
    .rule = "mitz_32: the halves of h1, a + i b as int32, complemented where negative, mod m",
    .limits = "up to 2^31 - 1 bits",
    .warning = "",
    .settings = "bits probes capacity rate",
    .keys = "text",
    .kinds = kKinds,
    .decode = decode,
    .create = create,
    .encode = write_bitmap,
    .settings_of = bitmap_settings,
    .advice = nullptr,
};

}  // namespace bloomery::bloom_filter_helper
