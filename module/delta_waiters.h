// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bloomery/place/watermark.h"
#include "module/redis_api.h"

// Clients that wait for what comes into a filter (BLOOM.DELTA ... BLOCK), and the clock that rings
// go by. All is done in the thread that the server runs commands in.
namespace bloomery::module {

// DeltaPosition: where a client's copy stands.
struct DeltaPosition {
  Identity ring;
  std::uint64_t sequence = 0;
};

// Lets the command wait until the ring of its key stands elsewhere than at `position` (also since
// the key was deleted, replaced or moved), or for `milliseconds`; `answer` then answers it. Looks
// every kDeltaTickMs, so no client is answered more often. False, and nothing is done, where the
// command may not wait: in a transaction or a script.
inline constexpr int kDeltaTickMs = 10;
bool wait_for_delta(Context* context, String* key, const DeltaPosition& position,
                    std::uint64_t milliseconds, CommandFunction answer);

// Watches the rings after one was asked: a ring that nobody asks for ten minutes goes.
void watch_rings(Context* context);

}  // namespace bloomery::module
