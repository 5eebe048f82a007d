// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace bloomery::redis {

// The commands of a server that has filters itself.
enum class Dialect : std::uint8_t {
  bf,     // BF.*, of RedisBloom, valkey-bloom or our module
  bloom,  // BLOOM.*, of our module: it tells a missing filter from an absent item
};

}  // namespace bloomery::redis
