// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <vector>

#include "bloomery/filter/filter_contents.h"
#include "bloomery/filter/hashes_once.h"
#include "bloomery/filter/parameters.h"
#include "bloomery/hash/hash_pair.h"

namespace bloomery {

using Words = std::span<const std::uint64_t>;
using MutableWords = std::span<std::uint64_t>;

// How the hash of a key touches the words of one kind of filter. This is what a new kind writes;
// the rest is made of it once, in WholeLayout, and all that users call, over that, in BasicFilter.
//
//   geometry(options)         of a new filter. Throws std::invalid_argument for impossible options
//   check(parameters)         throws FormatError for a geometry that this kind never has
//   word_count(parameters)    of such a filter
//   hash(key)                 what the others take: a pair, or, where each probe is a hash of its
//                             own, the key itself
//   all_positions(hash, test) whether test(position) holds for each of the key's bits, in the order
//                             of its probes; ends at the first for which it does not
//   prefetch(words, hash)     asks for the lines that a key touches
//   kLag                      how many keys ahead, where a key touches several lines
//
// A kind that does it faster, or otherwise than by setting and testing these bits, also has any of
// may_contain, insert, insert_concurrently, hash_many, may_contain_batch, insert_batch (these two
// in place of prefetch), merge and bits, as they stand in WholeLayout. A kind may have
//
//   check_words(words)        throws FormatError for words that none of its filters has
//   fill_state(words)         how full they are, where that is not what its bits say at once
//   rate(parameters, keys)    the rate of so many keys, where that is not predicted_rate()'s
//   rate_now(words)           that of the bits, where fill_state() cannot say it as well
//   probes(words, hash)       the bits of a key, where it may be in several places
//
// `words` are always those of the layout's own parameters. Only the constructor, geometry, the
// checks, merge, probes and what counts all words may throw.

// FillState: what the functions of these names in BasicFilter return; see there.
struct FillState {
  double fill_ratio = 0;
  double cardinality = 0;
  double predicted_rate = 0;
};

// The hash of a key, or the pair that the key comes as. By reference: where a kind has no pairs,
// the result is the key itself, or the bytes of the integer.
template <class L, class K>
Hashed<L> hash_of(const L& layout, const K& key) noexcept {
  if constexpr (std::same_as<K, HashPair>) {
    return key;
  } else {
    return layout.hash(key);
  }
}

template <class L>
concept KnowsItsState = requires(const L& layout, Words words) {
  requires std::same_as<decltype(layout.fill_state(words)), FillState>;
};

template <class L>
concept SeveralPlaces = KnowsItsState<L> && requires(const L& layout, Words words, HashPair hash) {
  requires std::same_as<decltype(layout.probes(words, hash)), std::vector<Probe>>;
};

// clang-format off
template <class L>
concept Layout =
    std::constructible_from<L, const FilterParameters&> &&
    requires(const L& layout, const FilterOptions& options, const FilterParameters& parameters,
             Key key, std::uint64_t integer, Hashed<L> hash, bool (*test)(std::uint64_t)) {
  { L::kKind } -> std::convertible_to<FilterKind>;
  { L::geometry(options) } -> std::same_as<Geometry>;
  L::check(parameters);
  { L::word_count(parameters) } -> std::same_as<std::uint64_t>;
  { layout.hash(key) } -> std::same_as<Hashed<L>>;
  { layout.hash(integer) } -> std::same_as<Hashed<L>>;
  { layout.all_positions(hash, test) } -> std::same_as<bool>;
};
// clang-format on

}  // namespace bloomery
