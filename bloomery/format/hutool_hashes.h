// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bloomery/hash/key.h"

// The string hashes of Hutool's HashUtil that its Bloom filters take: int32 over UTF-16 units.
// default_hash is String.hashCode().
namespace bloomery::hutool {

std::int32_t default_hash(Key text) noexcept;
std::int32_t elf_hash(Key text) noexcept;
std::int32_t js_hash(Key text) noexcept;
std::int32_t pjw_hash(Key text) noexcept;
std::int32_t sdbm_hash(Key text) noexcept;
std::int32_t rs_hash(Key text) noexcept;
std::int32_t bkdr_hash(Key text) noexcept;
std::int32_t ap_hash(Key text) noexcept;
std::int32_t djb_hash(Key text) noexcept;

}  // namespace bloomery::hutool
