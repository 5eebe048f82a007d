// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/redis/client/reply.h"
#include "bloomery/redis/client/request.h"

// The frame that the transactions of all places share: MULTI, ECHO of a number that no other has,
// ROLE, the place's own commands, EXEC. A place that reads its number back has the answer to its
// question and to no other.
namespace bloomery::redis {

// Returns a number that comes never twice in this process, and hardly ever in two, be they forked
// from one.
std::string next_nonce();

// MULTI, ECHO and ROLE; the commands and EXEC are the caller's.
void begin_transaction(Request& request, std::string_view nonce);

// Reads the replies from MULTI to EXEC and returns those that EXEC brought: the number, the role,
// and the rest of the `count` commands between MULTI and EXEC. `name` is the place's. Throws
// RefusedError for what the server refused, ProtocolError for what is no answer to this question.
const std::vector<Reply>& read_exec(std::span<const Reply> replies, std::size_t count,
                                    std::string_view nonce, const std::string& name);

// Reads a transaction as read_exec() does, without the reply to its MULTI, which came in an earlier
// round trip.
const std::vector<Reply>& read_begun_exec(std::span<const Reply> replies, std::size_t count,
                                          std::string_view nonce, const std::string& name);

// Returns whether one of the replies says WRONGTYPE, so that the others count for nothing. Throws
// RefusedError for every other refusal.
bool has_wrong_type(std::span<const Reply> all, const std::string& name);

// Why nobody may be believed who has this role; empty: the place may.
std::string role_doubt(const Reply& role, bool allow_replica, const std::string& name);

// Reads the reply to STRLEN. Throws ProtocolError if it is no length.
std::uint64_t length_in(const Reply& reply, const std::string& name);

[[noreturn]] void fail_answer(const std::string& name, const char* what);

}  // namespace bloomery::redis
