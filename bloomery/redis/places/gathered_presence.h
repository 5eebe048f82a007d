// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "bloomery/place/filter_place.h"
#include "bloomery/place/gathering.h"
#include "bloomery/redis/client/location.h"
#include "bloomery/redis/client/server_errors.h"

namespace bloomery::redis {

// Questions of one key to a place in a server: those that threads ask at the same moment are one
// batch, and have its proofs. Many threads may use it.
class GatheredPresence {
 public:
  // The place, whose batches it asks, outlives it.
  GatheredPresence(FilterPlace& place, const Location& location);

  // Asks for one key. A question behind a fence goes alone: nobody else's question began when it
  // did.
  Presence of(Key key, Proofs& proofs, const CallContext& context);

 private:
  struct Said {
    Presence presence = Presence::unknown;
    std::shared_ptr<const Proofs> proofs{};  // of all in the batch
  };

  static void ask(FilterPlace& place, std::span<const Key> keys, std::span<Said> answers,
                  const CallContext& context);

  FilterPlace& place_;
  Gathering<Said, TimeoutError> gathering_;
};

}  // namespace bloomery::redis
