// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "module/redis_api.h"

namespace bloomery::module {

// The GUARD.* commands: the verbs of bindings/guard/guard.lua, equal in every answer, as
// docs/guard_protocol.md describes them. Only on servers from 7.0 on, whose modules may run
// commands as scripts do. Throws as register_commands() does.
void register_guard_commands(const Api& api, Context* context);

}  // namespace bloomery::module
