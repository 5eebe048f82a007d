// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bloomery/redis/client/client.h"

namespace bloomery::redis {

// Returns the server's name for the type of a key: string, list, ..., and none if nothing is there.
// Throws what errors.h says.
std::string key_type(Client& client, const std::string& key);

}  // namespace bloomery::redis
