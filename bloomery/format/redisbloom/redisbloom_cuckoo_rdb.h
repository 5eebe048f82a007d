// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "bloomery/format/redisbloom/redisbloom_cuckoo.h"
#include "bloomery/format/redisbloom/redisbloom_rdb.h"

// The values that RedisBloom gives a server to store for a cuckoo filter, of type "MBbloomCF":
//
//   number sub-filters (redisbloom_cuckoo_dump.h)   number buckets of the oldest   number items
//   number deletes   number bucket size   number iterations   number expansion (from version 4)
//   and for each sub-filter
//   number buckets (from version 4)   string slots
//   and last, from version 5: number version of the hash   number hash seed
//
// Before version 4 all sub-filters are alike, of buckets of 2 slots, or whatever their strings
// have, and the hash is the old one.
namespace bloomery::redisbloom {

inline constexpr const char* kCuckooTypeName = "MBbloomCF";
inline constexpr std::uint32_t kCuckooEncodingVersion = 4;

// Throws FormatError for what is impossible, and std::bad_alloc. Takes no memory but for slots that
// came.
CuckooFilter read_cuckoo_value(ValueReader& reader, std::uint32_t encoding_version);
// All but the slots, which it passes over.
CuckooShape read_cuckoo_shape(ValueReader& reader, std::uint32_t encoding_version);

// Writes version 4.
void write_cuckoo_value(const CuckooFilter& filter, ValueWriter& writer);

}  // namespace bloomery::redisbloom
