// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace bloomery::module {

// The types of this module's values in keys. The server knows each by a name of its own.
enum class ValueType : std::uint8_t {
  chain,
  native,
  upload,
  cuckoo,
  half_chain,  // of which pieces are missing: RedisBloom's types cannot say so
  half_cuckoo,
  lost,
};

inline constexpr std::size_t kValueTypeCount = 7;

}  // namespace bloomery::module
