// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/key_type.h"

namespace bloomery::redis {

std::string key_type(Client& client, const std::string& key) {
  const Answer answer = client.run(Request().add({"TYPE", key}).about(key), Repeat::safe);
  return require_done(answer.replies.at(0), client.location()).text;
}

}  // namespace bloomery::redis
