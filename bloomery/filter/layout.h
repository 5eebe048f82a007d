#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <vector>

#include "bloomery/bits/bit_view.h"
#include "bloomery/filter/filter_contents.h"
#include "bloomery/filter/hashes_once.h"
#include "bloomery/filter/parameters.h"
#include "bloomery/hash/hash_pair.h"

namespace bloomery {

// How hash pairs touch the words of one kind of filter. This is what a new kind writes; all that
// users call is written once, over any layout, in BasicFilter.
//
//   hash(key)               what insert and the others take: a pair, or, where each probe is a hash
//                           of its own, the key itself. A layout of the latter sort has nothing
//                           that takes or gives pairs: that stands behind HashesOnce
//   check(parameters)       throws FormatError for a geometry that this kind never has
//   word_count(parameters)  of such a filter
//   insert(words, hash)     true where one of the key's bits was clear
//   insert_batch            returns how many keys were new; `answers` may be null. The keys may be
//                           hash pairs already
//   merge(words, others)    afterwards they hold the keys of both
//   positions(hash)         the bits of a key, in the order of its probes
//   bits(words)             the positions, as bits; or else, where a key may be in several places,
//   fill_state(words)       how full they are, and
//   probes(words, hash)     the bits of a key in all of them
//
// A layout may have check_words(words): throws FormatError for words that none of its filters has.
// `words` are always those of the layout's own parameters. Only the constructor, geometry, the
// checks, merge, positions and probes may throw.

// What BasicFilter says of itself, see there.
struct FillState {
  double fill_ratio = 0;
  double cardinality = 0;
  double predicted_rate = 0;
};

template <class L>
concept OnePlace = requires(const L& layout, std::span<const std::uint64_t> words) {
  requires std::same_as<decltype(layout.bits(words)), BitView>;
};

template <class L>
concept SeveralPlaces = requires(const L& layout, std::span<const std::uint64_t> words,
                                 HashPair hash) {
  requires std::same_as<decltype(layout.fill_state(words)), FillState>;
  requires std::same_as<decltype(layout.probes(words, hash)), std::vector<Probe>>;
};

// clang-format off
template <class L>
concept TakesPairs = requires(const L& layout, std::span<const Key> keys,
                              std::span<const std::uint64_t> integers,
                              std::span<const HashPair> pairs, HashPair pair,
                              std::span<const std::uint64_t> words,
                              std::span<std::uint64_t> mutable_words, bool* answers) {
  layout.hash_many(keys, &pair);
  layout.hash_many(integers, &pair);
  layout.hash_many(pairs, &pair);
  layout.may_contain_batch(words, pairs, answers);
  { layout.insert_batch(mutable_words, pairs, answers) } -> std::same_as<std::size_t>;
};

template <class L>
concept Layout =
    (OnePlace<L> || SeveralPlaces<L>) &&
    (TakesPairs<L> || !HashesOnce<L>) &&
    std::constructible_from<L, const FilterParameters&> &&
    requires(const L& layout, const FilterOptions& options, const FilterParameters& parameters,
             std::span<const Key> keys, std::span<const std::uint64_t> integers, Hashed<L> hashed,
             std::span<const std::uint64_t> words, std::span<std::uint64_t> mutable_words,
             bool* answers) {
  { L::kKind } -> std::convertible_to<FilterKind>;
  { L::geometry(options) } -> std::same_as<Geometry>;
  L::check(parameters);
  { L::word_count(parameters) } -> std::same_as<std::uint64_t>;
  { layout.hash(keys[0]) } -> std::same_as<Hashed<L>>;
  { layout.hash(integers[0]) } -> std::same_as<Hashed<L>>;
  { layout.may_contain(words, hashed) } -> std::same_as<bool>;
  { layout.insert(mutable_words, hashed) } -> std::same_as<bool>;
  { layout.insert_concurrently(mutable_words, hashed) } -> std::same_as<bool>;
  layout.may_contain_batch(words, keys, answers);
  layout.may_contain_batch(words, integers, answers);
  { layout.insert_batch(mutable_words, keys, answers) } -> std::same_as<std::size_t>;
  { layout.insert_batch(mutable_words, integers, answers) } -> std::same_as<std::size_t>;
  layout.merge(mutable_words, words);
  { layout.positions(hashed) } -> std::same_as<std::vector<std::uint64_t>>;
};
// clang-format on

}  // namespace bloomery
