// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "module/redis_api.h"

// Clients that wait in the server for leases of others. One thread calls all of it: that which the
// server runs commands in.
namespace bloomery::module {

struct AwaitedLease {
  std::string name{};  // of the key
  std::string held{};  // its bytes
};

// Blocks the client of this command until one of the leases is another or gone, and for `most` at
// the longest; then `reply` answers it. A timer finds what was not told by lease_changed(): within
// 20 ms, and 20 ms more for each 500 leases that are waited for.
void wait_for_leases(Context* context, const std::vector<AwaitedLease>& leases,
                     std::chrono::milliseconds most, CommandFunction reply);

// Wakes those who wait for the lease. Costs nothing where nobody waits.
void lease_changed(Context* context, std::string_view name) noexcept;

}  // namespace bloomery::module
