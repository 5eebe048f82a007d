#pragma once

#include <cstdint>
#include <string>

#include "bloomery/filter/geometry.h"
#include "bloomery/filter/options.h"
#include "bloomery/hash/native_hash.h"

namespace bloomery {

// What kind of filter some bits are. Stored in files: numbers are never reused.
enum class FilterKind : std::uint8_t { classic = 1, blocked = 2 };

// Everything about a filter but its bits: two filters with equal kind, hash and geometry mean the
// same by a bit.
struct FilterParameters {
  FilterKind kind{};
  NativeHash hash;
  Geometry geometry;
  std::uint64_t capacity = 0;
  double false_positive_rate = 0;
};

// The first difference that keeps two filters' bits from being merged, as a sentence; empty when
// there is none.
std::string incompatibility(const FilterParameters& a, const FilterParameters& b);

// The hash that options ask for; draws the secret key where one is wanted.
NativeHash make_hash(const FilterOptions& options);

}  // namespace bloomery
