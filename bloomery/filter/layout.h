#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <vector>

#include "bloomery/bits/bit_view.h"
#include "bloomery/filter/filter_contents.h"
#include "bloomery/filter/parameters.h"
#include "bloomery/hash/hash_pair.h"

namespace bloomery {

// How hash pairs touch the words of one kind of filter. This is what a new kind writes; all that
// users call is written once, over any layout, in BasicFilter.
//
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

template <class L>
concept Layout = (OnePlace<L> || SeveralPlaces<L>)&&std::constructible_from<
    L, const FilterParameters&>&& requires(const L& layout, const FilterOptions& options,
                                           const FilterParameters& parameters,
                                           std::span<const Key> keys,
                                           std::span<const std::uint64_t> integers,
                                           std::span<const HashPair> hashes, HashPair hash,
                                           std::span<const std::uint64_t> words,
                                           std::span<std::uint64_t> mutable_words, bool* answers) {
  requires std::convertible_to<decltype(L::kKind), FilterKind>;
  requires std::same_as<decltype(L::geometry(options)), Geometry>;
  L::check(parameters);
  requires std::same_as<decltype(L::word_count(parameters)), std::uint64_t>;
  requires std::same_as<decltype(layout.hash(keys[0])), HashPair>;
  requires std::same_as<decltype(layout.hash(integers[0])), HashPair>;
  layout.hash_many(keys, &hash);
  layout.hash_many(integers, &hash);
  layout.hash_many(hashes, &hash);
  requires std::same_as<decltype(layout.may_contain(words, hash)), bool>;
  requires std::same_as<decltype(layout.insert(mutable_words, hash)), bool>;
  requires std::same_as<decltype(layout.insert_concurrently(mutable_words, hash)), bool>;
  layout.may_contain_batch(words, keys, answers);
  layout.may_contain_batch(words, integers, answers);
  layout.may_contain_batch(words, hashes, answers);
  requires std::same_as<decltype(layout.insert_batch(mutable_words, keys, answers)), std::size_t>;
  requires std::same_as<decltype(layout.insert_batch(mutable_words, integers, answers)),
                        std::size_t>;
  requires std::same_as<decltype(layout.insert_batch(mutable_words, hashes, answers)), std::size_t>;
  layout.merge(mutable_words, words);
  requires std::same_as<decltype(layout.positions(hash)), std::vector<std::uint64_t>>;
};

}  // namespace bloomery
