// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bloomery/format/format.h"

// "BloomFilterHelper": Guava's MURMUR128_MITZ_32 over a bitmap of Redis, a class that many Java
// services copied from one another. The bitmap is a string that SETBIT wrote: bit i is bit
// 7 - (i mod 8) of byte i / 8, and it ends with the last byte that has one set. Size and number of
// probes follow from the capacity and rate in the service's source; neither is stored.
namespace bloomery::bloom_filter_helper {

// m = -n ln p / ln^2 2, truncated, at most 2^31 - 1; k = round(m / n ln 2), at least 1. Throws
// std::invalid_argument where that gives no bit, which the class divides by, or more than 255
// probes.
Geometry geometry(std::uint64_t capacity, double rate);

extern const Format kFormat;

}  // namespace bloomery::bloom_filter_helper
