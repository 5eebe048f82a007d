// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "module/names.h"
#include "module/redis_api.h"

namespace bloomery::module {

// Registers the types of keys whose filter is not whole: half a chain, half a cuckoo filter, and
// one that was lost, in this order. Null where the server has one of the name already.
std::array<Type*, 3> register_half_types(Context* context, const Names& names);

}  // namespace bloomery::module
