// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/simple_java.h"

#include "bloomery/filter/classic_layout.h"
#include "bloomery/filter/make_kind.h"
#include "bloomery/format/masked_bitmap.h"
#include "bloomery/format/redis_bitmap.h"

namespace bloomery {

Geometry SimpleJavaProbes::geometry(const FilterOptions&) {
  return {.bit_count = simple_java::kUsualBits, .probe_count = kMaskedProbes};
}

void SimpleJavaProbes::check(const FilterParameters& parameters) {
  check_masked(parameters, "a SimpleBloomFilter");
}

namespace simple_java {
namespace {

AnyFilter decode(std::span<const std::byte> bytes, const FormatSettings& settings) {
  const SettingsReader read(settings, kFormat.name, kFormat.settings);
  const Geometry geometry = masked_geometry(read, kUsualBits);
  return open_bitmap(promised_parameters(FilterKind::simple_java, geometry, read), bytes,
                     "a SimpleBloomFilter", BitOrder::lsb_first);
}

AnyFilter create(const FilterOptions& options, const FormatSettings& settings) {
  const SettingsReader read = settings_of_new(settings, kFormat);
  const Geometry geometry = masked_geometry(read, kUsualBits);
  return create_bitmap(promised_parameters(FilterKind::simple_java, geometry, options),
                       kFormat.name);
}

constexpr Kind kKind =
    flat_kind<ClassicLayout<SimpleJavaProbes>>({"simple-java", "factor h + char, 8 factors"});
constexpr std::array kKinds{&kKind};

}  // namespace

const Format kFormat{
    .name = "simple-java",
    .system = "SimpleBloomFilter, Java: BitSet.toByteArray()",
    .hash = "factor h + char as int32, for 8 factors",
    .rule = "the low bits of the i-th hash",
    .limits = "2^25 bits, unless bits=N says another power of two up to 2^30; 8 probes",
    .warning =
        "its hashes put keys that differ in the last characters side by side, and short "
        "keys into few bits: the rate is only kept for long, varied keys",
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

}  // namespace simple_java
}  // namespace bloomery
