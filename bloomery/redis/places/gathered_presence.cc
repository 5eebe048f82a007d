// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/gathered_presence.h"

namespace bloomery::redis {

GatheredPresence::GatheredPresence(FilterPlace& place, const Location& location)
    : place_(place),
      gathering_(
          [&place](std::span<const Key> keys, std::span<Presence> answers,
                   const CallContext& context) { place.presence_of_many(keys, answers, context); },
          Presence::unknown,
          {.name = location.server(),
           .advice = kTimeoutAdvice,
           .timeout = location.timeout,
           .most_trips = location.connections}) {}

Presence GatheredPresence::of(Key key, const CallContext& context) {
  if (context.fence == nullptr) return gathering_.ask(key, context);
  Presence answer = Presence::unknown;
  place_.presence_of_many({&key, 1}, {&answer, 1}, context);
  return answer;
}

}  // namespace bloomery::redis
