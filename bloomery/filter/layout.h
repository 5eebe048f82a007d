#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <vector>

#include "bloomery/filter/parameters.h"
#include "bloomery/hash/hash_pair.h"

namespace bloomery {

// Keys go through a filter in groups: while the lines of one group are probed, those of the next
// are on their way from memory. `ahead` is that next group; empty at the end, and where the filter
// fits the cache.
struct HashGroup {
  std::span<const HashPair> now;
  std::span<const HashPair> ahead;
};

// How hash pairs touch the words of one kind of filter. This is what a new kind writes; all that
// users call is written once, over any layout, in BasicFilter. `words` are always those of the
// layout's own geometry.
template <class L>
concept Layout = std::constructible_from<L, const FilterParameters&> &&
    requires(const L& layout, const FilterOptions& options, const FilterParameters& parameters,
             std::span<const Key> keys, std::span<const std::uint64_t> integers, HashPair hash,
             std::span<const std::uint64_t> words, std::span<std::uint64_t> mutable_words,
             const HashGroup& group, HashPair* hashes, bool* answers) {
  { L::kKind } -> std::convertible_to<FilterKind>;
  { L::geometry(options) } -> std::same_as<Geometry>;
  {L::check(parameters)};  // throws FormatError for a geometry this kind never has
  { layout.hash(keys[0]) }
  noexcept->std::same_as<HashPair>;
  { layout.hash(integers[0]) }
  noexcept->std::same_as<HashPair>;
  { layout.hash_many(keys, hashes) }
  noexcept;
  { layout.hash_many(integers, hashes) }
  noexcept;
  { layout.may_contain(words, hash) }
  noexcept->std::same_as<bool>;
  { layout.insert(mutable_words, hash) }
  noexcept->std::same_as<bool>;
  { layout.insert_concurrently(mutable_words, hash) }
  noexcept->std::same_as<bool>;
  { layout.prefetch(words, group.now) }
  noexcept;
  { layout.may_contain_group(words, group, answers) }
  noexcept;
  // answers may be null; returns how many keys were new
  { layout.insert_group(mutable_words, group, answers) }
  noexcept->std::same_as<std::size_t>;
  { layout.positions(hash) } -> std::same_as<std::vector<std::uint64_t>>;
};

}  // namespace bloomery
