// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "bloomery/filter/any_filter.h"
#include "bloomery/format/format.h"
#include "bloomery/format/redisbloom/redisbloom_cuckoo.h"

// The payload that DUMP gives and RESTORE takes for a RedisBloom filter, in any version of a
// server:
//
//   type 1B (7: a module's)   the module's type and values (rdb/module_value.h, redisbloom_rdb.h)
//   dump version 2B   checksum 8B (rdb/crc64.h) of all before it; both little-endian
//
// Filters are written with dump version 8, which servers since 4.0 take.
namespace bloomery::redisbloom {

// Throws FormatError, naming offset and field.
AnyFilter decode_payload(std::span<const std::byte> bytes);
void encode_payload(const FilterContents& contents, const ByteSink& sink);
// Encodes a payload of a cuckoo filter for RESTORE; no other format of ours holds cuckoo filters.
void encode_cuckoo_payload(const CuckooFilter& filter, const ByteSink& sink);

extern const Format kPayloadFormat;

}  // namespace bloomery::redisbloom
