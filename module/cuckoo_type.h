#pragma once

#include "module/names.h"
#include "module/redis_api.h"

namespace bloomery::module {

// Registers the type of keys that hold a StoredCuckoo, with all that a server asks of it. Null
// where it has one of the name already.
Type* register_cuckoo_type(Context* context, const Names& names);

}  // namespace bloomery::module
