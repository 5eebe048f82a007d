// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "module/redis_api.h"

namespace bloomery::module {

// Registers CF.*. Throws std::runtime_error, naming the command, for one that the server has
// already.
void register_cf_commands(const Api& api, Context* context);

}  // namespace bloomery::module
