// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bloomery/hash/key.h"

namespace bloomery {

// XXH64 of the library xxHash: for layouts that are made with it.
std::uint64_t xxh64(Key key, std::uint64_t seed = 0) noexcept;

}  // namespace bloomery
