// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bloomery/place/call_context.h"
#include "bloomery/redis/client/client.h"
#include "bloomery/redis/client/request.h"

namespace bloomery::redis {

// Client::run() of transactions that only read: all from begin_transaction() to EXEC, whose
// commands have their key behind their name.
//
// A server beyond its `maxmemory` queues no command in a MULTI, be it one that needs no memory, but
// runs scripts. What it refuses so is asked once more, each transaction by a script of the same
// commands, which is as much one moment. Scripts cannot ask for ROLE, so it is asked before and
// behind: the answer counts as a primary's where both say so. (What became a replica and a primary
// again between two commands of one pipeline is not seen.) The answer looks like that of the
// transactions. It takes the right to EVAL; without, the refusal stands.
Answer run_reading(Client& client, const Request& request, const CallContext& context,
                   const Client::Judge& judge = {});

}  // namespace bloomery::redis
