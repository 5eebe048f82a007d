// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "bloomery/errors.h"
#include "bloomery/filter/native_position.h"
#include "bloomery/filter/parameters.h"
#include "bloomery/filter/probe_scheme.h"
#include "bloomery/filter/sizing.h"

namespace bloomery {

// NativeProbes: where the probes of our own classic filters fall.
class NativeProbes {
 public:
  static constexpr FilterKind kKind = FilterKind::classic;

  explicit NativeProbes(const FilterParameters& parameters) noexcept : hash_(parameters.hash) {}

  static Geometry geometry(const FilterOptions& options) { return classic_geometry(options); }

  static void check(const FilterParameters& parameters) {
    if (parameters.geometry.bit_count % 64 != 0) {
      throw FormatError("impossible geometry of a classic filter: " +
                        std::to_string(parameters.geometry.bit_count) + " bits (a multiple of 64)");
    }
  }

  HashPair hash(Key key) const noexcept { return hash_(key); }
  HashPair hash(std::uint64_t integer) const noexcept { return hash_(integer); }

  static std::uint64_t position(HashPair hash, std::uint32_t i, std::uint64_t bit_count) noexcept {
    return native_position(hash, i, bit_count);
  }

 private:
  NativeHash hash_;
};

static_assert(ProbeScheme<NativeProbes>);

}  // namespace bloomery
