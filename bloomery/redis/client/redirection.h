// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bloomery/redis/client/location.h"
#include "bloomery/redis/client/reply.h"
#include "bloomery/redis/client/request.h"
#include "bloomery/redis/client/server_errors.h"

namespace bloomery::redis {

// A server that did not do what it was asked, and what it said about who will, or when.
struct Redirection {
  Refusal why = Refusal::other;  // moved, ask, try_again, cluster_down or read_only
  HostPort to{};                 // of moved and ask; an empty host: of the server that said so
  // `is_partial`: other units of the request were done.
  bool is_partial = false;
};

// The first redirection among the replies to a request, if there is one. MOVED and ASK to what
// cannot be the address of a server are no redirections: they stay errors.
std::optional<Redirection> redirection_in(const Request& request, std::span<const Reply> replies);

// Returns whether a reply says that another node, or the same a little later, may do it.
bool sends_elsewhere(const Reply& reply) noexcept;

// Takes the replies to ASKING out of the replies.
void drop_asking(const Request& request, std::vector<Reply>& replies);

}  // namespace bloomery::redis
