// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "module/redis_api.h"

namespace bloomery::module {

// BLOOM.CHECK, RESERVE, ADD, MADD, DEL, MERGE, INFO, LOAD and APPLY: what RedisBloom has not.
void register_bloom_commands(const Api& api, Context* context);

}  // namespace bloomery::module
