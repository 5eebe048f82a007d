#pragma once

#include "module/names.h"
#include "module/redis_api.h"

namespace bloomery::module {

// Registers the type of keys that hold a ChainFilter, with all that a server asks of it. Null
// where it has one of the name already.
Type* register_chain_type(const Api& api, Context* context, const Names& names);

}  // namespace bloomery::module
