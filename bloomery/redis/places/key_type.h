// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bloomery/redis/client/client.h"

namespace bloomery::redis {

// What a server calls the kind of a key: string, list, ..., and none where nothing is there. Throws
// what errors.h says.
std::string key_type(Client& client, const std::string& key);

}  // namespace bloomery::redis
