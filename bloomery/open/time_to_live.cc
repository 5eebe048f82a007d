// SPDX-License-Identifier: Apache-2.0
#include "bloomery/open/time_to_live.h"

#include <string>

#include "bloomery/redis/client/client.h"
#include "bloomery/redis/places/live_bitmap.h"

namespace bloomery {

std::optional<std::chrono::milliseconds> time_to_live(const PlaceLocation& location) {
  if (!location.is_live()) return std::nullopt;
  redis::Client client(redis::parse_location(location.server));
  const bool is_own = location.dialect || location.is_own_bitmap();
  const std::string key =
      is_own ? client.location().key : redis::live_names(client.location(), *location.format).key;
  const auto answer =
      client.run(redis::Request().add({"PTTL", key}).about(key), redis::Repeat::safe);
  const redis::Reply& left = answer.replies.at(0);
  // -1 is for ever, -2 no key; an error says that we may not know.
  if (!left.is(redis::Reply::Type::number) || left.number < 0) return std::nullopt;
  return std::chrono::milliseconds(left.number);
}

}  // namespace bloomery
