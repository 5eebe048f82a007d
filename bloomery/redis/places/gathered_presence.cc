// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/gathered_presence.h"

#include <vector>

namespace bloomery::redis {

GatheredPresence::GatheredPresence(FilterPlace& place, const Location& location)
    : place_(place),
      gathering_([&place](std::span<const Key> keys, std::span<Said> answers,
                          const CallContext& context) { ask(place, keys, answers, context); },
                 Said(),
                 {.name = location.server(),
                  .advice = kTimeoutAdvice,
                  .timeout = location.timeout,
                  .most_trips = location.connections}) {}

void GatheredPresence::ask(FilterPlace& place, std::span<const Key> keys, std::span<Said> answers,
                           const CallContext& context) {
  const auto proofs = std::make_shared<Proofs>();
  std::vector<Presence> presences(keys.size(), Presence::unknown);
  place.ask(keys, presences, *proofs, context);
  for (std::size_t i = 0; i < keys.size(); ++i) answers[i] = {presences[i], proofs};
}

Presence GatheredPresence::of(Key key, Proofs& proofs, const CallContext& context) {
  if (context.fence == nullptr) {
    const Said said = gathering_.ask(key, context);
    proofs.add(*said.proofs);
    return said.presence;
  }
  Presence answer = Presence::unknown;
  place_.ask({&key, 1}, {&answer, 1}, proofs, context);
  return answer;
}

}  // namespace bloomery::redis
