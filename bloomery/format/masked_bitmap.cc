// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/masked_bitmap.h"

#include <bit>

#include "bloomery/errors.h"

namespace bloomery {
namespace {

// The most bits: int32 hashes would not reach all of a larger bitmap.
constexpr std::uint64_t kMostMaskedBits = std::uint64_t{1} << 30;

bool is_mask(std::uint64_t bits) noexcept {
  return std::has_single_bit(bits) && bits <= kMostMaskedBits;
}

}  // namespace

Geometry masked_geometry(const SettingsReader& read, std::uint64_t usual_bits) {
  const std::uint64_t bits = read.count("bits").value_or(usual_bits);
  if (!is_mask(bits)) read.refuse("bits", "not a power of two up to 2^30");
  return {.bit_count = bits, .probe_count = kMaskedProbes};
}

void check_masked(const FilterParameters& parameters, const std::string& format) {
  const Geometry& geometry = parameters.geometry;
  if (is_mask(geometry.bit_count) && geometry.probe_count == kMaskedProbes) return;
  throw FormatError("impossible geometry of " + format + ": " + std::to_string(geometry.bit_count) +
                    " bits (a power of two up to 2^30), " + std::to_string(geometry.probe_count) +
                    " probes (8)");
}

}  // namespace bloomery
