// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "module/names.h"
#include "module/redis_api.h"

namespace bloomery::module {

// Register the types of keys that hold a StoredFilter, and a StoredCuckoo, as RedisBloom stores
// them. Null where the server has one of the name already.
Type* register_chain_type(Context* context, const Names& names);
Type* register_cuckoo_type(Context* context, const Names& names);

}  // namespace bloomery::module
