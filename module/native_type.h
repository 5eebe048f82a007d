// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "module/names.h"
#include "module/redis_api.h"

namespace bloomery::module {

// Register the types of keys that hold a StoredFilter, and an Upload. Null where the server has one
// of the name already.
Type* register_native_type(Context* context, const Names& names);
Type* register_upload_type(Context* context, const Names& names);

// Lets a load know, when it is stored, whether it moves. It cannot be undone.
void watch_saving(Context* context);

}  // namespace bloomery::module
