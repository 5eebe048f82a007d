// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

#include <vector>

#include "bloomery/redis/client/deadline.h"
#include "bloomery/redis/client/location.h"

namespace bloomery::redis {

struct Address {
  sockaddr_storage bytes{};
  socklen_t size = 0;
};

// Returns the addresses at which the server of a location may be, one at least. Throws
// ConnectionError.
std::vector<Address> addresses_of(const Location& location, Deadline& deadline);

}  // namespace bloomery::redis
