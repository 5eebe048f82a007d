// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bloomery/redis/client/location.h"
#include "bloomery/redis/client/reply.h"

namespace bloomery::redis {

struct SlotRange {
  std::uint16_t first = 0;
  std::uint16_t last = 0;
  HostPort primary{};  // an empty host: of the server that said so
  std::string id{};    // the primary's name in the cluster; empty: not told
};

// `read_cluster_slots`, `read_primary_address`: read what a server says about other servers. Both
// throw ProtocolError, which names the server that replied, for a reply that is no answer.

// The answer to CLUSTER SLOTS, in the order of the slots; without those whose node has no name yet.
std::vector<SlotRange> read_cluster_slots(const Reply& reply, const std::string& server);

// The answer of a sentinel to where a primary is. Throws StoreError where it knows none so called.
HostPort read_primary_address(const Reply& reply, const std::string& sentinel,
                              const std::string& primary);

}  // namespace bloomery::redis
