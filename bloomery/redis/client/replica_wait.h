// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "bloomery/redis/client/connection.h"
#include "bloomery/redis/client/deadline.h"
#include "bloomery/redis/client/location.h"
#include "bloomery/redis/client/server_errors.h"

namespace bloomery::redis {

// Fewer replicas than the location asks for have a change. The primary has it, and whoever asks for
// it finds it; a failover may lose it. The call may be made again.
struct NotReplicatedError : StoreError {
  using StoreError::StoreError;
};

// Waits on `connection` until as many replicas as the location's wait=N have all that was changed
// at `key` until now, by whomever, as WAIT of the server tells; with wait=N,aof until they and the
// primary have it in their append-only files, on disk, as WAITAOF tells. Returns at once if the
// location says neither. The server must still be a primary then: what a primary that was replaced
// had its replicas acknowledge counts for nothing. Throws NotReplicatedError, also if the server
// refuses to wait; ConnectionError, TimeoutError and CallAborted as Connection::exchange() does.
//
// A replica that has acknowledged a change keeps it if it is the one that takes over. A failover to
// another replica loses it all the same: N = all replicas leaves no such one.
//
// Waits for replicas. It may write the key {`key`}:wait, or `key`:wait where `key` has braces,
// which expires after a millisecond.
void await_replicas(Connection& connection, const Location& location, std::string_view key,
                    Deadline& deadline);

}  // namespace bloomery::redis
