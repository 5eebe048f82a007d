// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "bloomery/filter/filter_contents.h"
#include "bloomery/filter/options.h"
#include "bloomery/filter/parameters.h"
#include "bloomery/filter/solve.h"

// How each kind of ours and each system whose format creates filters sizes them: the rules alone,
// of which the calculator's page is made, without the filters.
namespace bloomery::calculator {

struct Sizing {
  std::string_view name;
  FilterKind kind{};
  bool has_parts = false;
  Geometry (*geometry)(const FilterOptions& options) = nullptr;
  std::uint64_t (*word_count)(const FilterParameters& parameters) = nullptr;
  // The rate of a filter with so many keys.
  double (*rate)(const FilterParameters& parameters, double keys) = nullptr;
  // The layer of a chain that follows these; null for what does not grow.
  Layer (*next)(const FilterOptions& options, std::span<const Layer> layers) = nullptr;
};

std::span<const Sizing> sizings() noexcept;

// The bits that a filter takes in memory.
std::uint64_t stored_bits(const Sizing& sizing, const Geometry& geometry);

// A fuse filter's geometry has the bits of a fingerprint for probes, and lines of 0 bits.
struct Sized : Solution {
  double false_positive_rate = 0;  // that it is made for
};

// Solves blocked and classic filters as bloomery::solve() does. Other kinds choose their probes
// themselves, and their best fit is found by trying; bits are those in memory. Throws as
// bloomery::solve() does.
Sized solve(const Sizing& sizing, const Known& known);

}  // namespace bloomery::calculator
