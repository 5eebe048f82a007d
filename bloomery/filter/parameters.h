// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "bloomery/filter/geometry.h"
#include "bloomery/filter/options.h"
#include "bloomery/hash/native_hash.h"
#include "bloomery/text/key_form.h"

namespace bloomery {

// FilterKind: what kind of filter some bits are. Stored in files: numbers are never reused.
enum class FilterKind : std::uint8_t {
  classic = 1,
  blocked = 2,
  counting = 3,          // counters where a blocked filter has bits
  classic_counting = 4,  // counters where a classic filter has bits
  scalable = 5,          // a chain of blocked filters
  windowed = 6,          // generations of blocked filters that retire
  fixed = 7,             // "static": built once, of all its keys
  fuse = 8,              // the same, of fingerprints

  // Schemes of other systems, all from 32 on; format/ knows what they mean.
  mitz_64 = 32,
  mitz_32 = 33,
  redisson = 34,
  redisson_legacy = 35,
  redisbloom = 36,
  redisbloom_32 = 37,
  php = 38,
  simple_java = 39,
  javascript = 40,
  javascript_sane = 41,
  orestes = 42,
  pyrebloom = 43,
  gozero = 44,
  hutool_bitmap = 45,
  hutool_bitset = 46,
  leveldb = 47,
  rocksdb = 48,
  dcso = 49,
  parquet = 50,
  scrapy = 51,
  scrapy_md5 = 52,
};

// Returns whether the kind is another system's scheme, with a hash of its own.
constexpr bool is_foreign(FilterKind kind) noexcept {
  return kind >= FilterKind{32};
}

// Everything about a filter but its bits: two filters with equal kind, hash, geometry, growth and
// window mean the same by a bit; with equal keys, the same by what people write.
struct FilterParameters {
  FilterKind kind{};
  NativeHash hash = NativeHash();  // of our own kinds
  Geometry geometry{};
  std::uint64_t capacity = 0;
  double false_positive_rate = 0;
  Growth growth{};
  Window window{};
  std::uint32_t foreign_options = 0;  // what else another system's format says of the filter
  std::string foreign_data{};         // and bytes that it carries along
  KeyForm keys = kUnknownForm;        // how the keys in it were written
};

// Returns whether filters of a kind may have HashId::fold: those that read no bits of h2 above bit
// 57.
constexpr bool may_fold(FilterKind kind) noexcept {
  return kind == FilterKind::blocked;
}

// Returns what a new filter has; the secret key is drawn if options.secret is set. Throws
// std::invalid_argument for a hash that the kind may not have.
FilterParameters parameters_for(FilterKind kind, const Geometry& geometry,
                                const FilterOptions& options);

// The first difference that keeps two filters' bits from being merged, as a sentence; empty when
// there is none.
std::string incompatibility(const FilterParameters& a, const FilterParameters& b);
// Returns what incompatibility() does where the merged filter can say that the form of its keys is
// unknown (form_of_both): an unknown form is then no difference.
std::string merge_problem(const FilterParameters& into, const FilterParameters& from);

}  // namespace bloomery
