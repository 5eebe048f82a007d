// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "bloomery/bits/heap_words.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/basic_filter.h"
#include "bloomery/filter/kind.h"
#include "bloomery/filter/rates.h"

namespace bloomery {

// KindNames: what an entry says of its kind that the type does not.
struct KindNames {
  std::string_view name;
  std::string_view hash;
  std::string_view what{};
};

// A layout whose filters forget: says so by a member kForgets.
template <class L>
concept Forgets = requires {
  L::kForgets;
};

// A layout whose lines can be shared out over several arrays: says so by a member kHasParts.
template <class L>
concept HasParts = requires {
  L::kHasParts;
};

// The rate of a filter with so many keys.
template <Layout L>
double rate_of(const FilterParameters& parameters, double keys) noexcept {
  if constexpr (requires { L::rate(parameters, keys); }) {
    return L::rate(parameters, keys);
  } else {
    return predicted_rate(parameters.geometry, keys);
  }
}

// A kind whose filters are one array, as a layout says.
template <Layout L>
constexpr Kind flat_kind(const KindNames& names) {
  using F = BasicFilter<L, SharedWords>;
  Kind kind{.number = L::kKind, .name = names.name, .hash_name = names.hash, .what = names.what};
  kind.hashes_once = HashesOnce<L>;
  kind.counts = Counts<L>;
  kind.forgets = Forgets<L>;
  kind.has_parts = HasParts<L>;
  if constexpr (requires { L::kLineBits; }) kind.line_bits = L::kLineBits;
  if constexpr (requires { L::Scheme::kEvenBits; }) kind.even_bits = L::Scheme::kEvenBits;
  kind.geometry = [](const FilterOptions& options) { return L::geometry(options); };
  kind.rate = rate_of<L>;
  kind.check = [](const FilterContents& contents) { L::check(contents.parameters); };
  kind.word_count = [](const FilterContents& contents) -> std::uint64_t {
    return L::word_count(contents.parameters);
  };
  kind.make = [](const FilterParameters& parameters) {
    HeapWords words(L::word_count(parameters));
    return AnyFilter(F(parameters, SharedWords::of(std::move(words)), 0));
  };
  kind.open = [](const FilterContents& contents, SharedWords words) {
    if constexpr (requires { L::check_words(std::as_const(words).words()); }) {
      L::check_words(std::as_const(words).words());
    }
    return AnyFilter(F(contents.parameters, std::move(words), contents.inserted));
  };
  return kind;
}

// A kind whose filters are chains: F is a GrowingFilter.
template <class F>
constexpr Kind chain_kind(const KindNames& names) {
  Kind kind{.number = F::kKind, .name = names.name, .hash_name = names.hash, .what = names.what};
  kind.has_layers = true;
  kind.geometry = [](const FilterOptions& options) { return F::first_geometry(options); };
  kind.rate = [](const FilterParameters& parameters, double keys) {
    return predicted_rate(parameters.geometry, keys);
  };
  kind.check = [](const FilterContents& contents) { F::check(contents); };
  kind.word_count = [](const FilterContents& contents) -> std::uint64_t {
    return F::word_count(contents.layers);
  };
  kind.make = [](const FilterParameters& parameters) { return AnyFilter(F::make(parameters)); };
  kind.open = [](const FilterContents& contents, SharedWords words) {
    return AnyFilter(F(contents, words));
  };
  return kind;
}

}  // namespace bloomery
