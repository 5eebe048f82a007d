// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "bloomery/filter/any_filter.h"
#include "bloomery/hash/hash_pair.h"

namespace bloomery {

// Sets the bits of keys, by their pairs, in the newest layer of a filter, while other threads ask
// it. Returns how many of the keys were new. Neither counts the keys nor lets the filter grow: the
// filter that it is a copy of does that. When it returns, a release store shows the bits to whoever
// acquires it. One thread at a time, beside insert_concurrently() of others. Throws
// std::invalid_argument for a kind without pairs.
std::uint64_t apply_hashes(AnyFilter& filter, std::span<const HashPair> hashes);

}  // namespace bloomery
