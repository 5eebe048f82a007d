// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bloomery/place/call_context.h"
#include "bloomery/source/postgres/postgres_connection.h"

namespace bloomery::postgres {

// Throws StoreError if the server is a standby, and std::invalid_argument, with what to set, if its
// settings keep it from being followed. `name` is the source's, for messages; `has_slot`: the slot
// outlives its follower.
void require_followable(Connection& connection, const std::string& name, bool has_slot,
                        const CallContext& context);

}  // namespace bloomery::postgres
