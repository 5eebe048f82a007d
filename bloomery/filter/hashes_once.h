// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>

#include "bloomery/hash/hash_pair.h"
#include "bloomery/hash/key.h"

namespace bloomery {

// A scheme, layout or filter that hashes a key once, to a pair which says all that it needs to know
// of the key. Some systems hash the key anew for each probe instead: then there is no pair, and
// whatever takes or gives one does not exist.
template <class T>
concept HashesOnce = requires(const T& of, Key key) {
  { of.hash(key) } -> std::same_as<HashPair>;
};

// Hashed: what the bits of a key follow from: its hash pair, or the key itself.
template <class T>
using Hashed = std::conditional_t<HashesOnce<T>, HashPair, Key>;

// Why a filter whose kind is known only at run time refuses what takes or gives pairs.
inline constexpr const char* kNoPairs =
    "filters of this kind hash a key anew for each probe: they have no hash pair for it, and take "
    "only the keys themselves";

}  // namespace bloomery
