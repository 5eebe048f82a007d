// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "bloomery/redis/client/reply.h"
#include "bloomery/redis/client/request.h"

namespace bloomery::redis {

// Adds to the text of each error among the replies what it answers, the command's name and its key:
// "WRONGTYPE Operation against a key holding the wrong kind of value (GETRANGE users)". Of what a
// transaction brought too. A text begins as the server wrote it.
void tell_commands(const Request& request, std::span<Reply> replies);

}  // namespace bloomery::redis
