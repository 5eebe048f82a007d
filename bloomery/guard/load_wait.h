// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "bloomery/guard/query_limit.h"
#include "bloomery/place/call_context.h"

namespace bloomery {

// WaitedTooLong: another process loads the row, and did not end within GuardOptions::wait_limit.
// The row may exist; ask again later.
struct WaitedTooLong : GuardOverloaded {
  using GuardOverloaded::GuardOverloaded;
};

// The pauses of a caller who asks a cache again and again for what another process loads: 1 ms at
// first, half as long again each time, 12 ms at most. For one thread.
class LoadWait {
 public:
  explicit LoadWait(std::chrono::milliseconds limit)
      : limit_(limit), until_(CallContext::Clock::now() + limit) {}

  // Waits. Throws WaitedTooLong where the limit is over, CallAborted when the context is.
  void pause(const CallContext& context);

 private:
  const std::chrono::milliseconds limit_;
  const CallContext::Clock::time_point until_;
  std::chrono::microseconds length_{1'000};
};

}  // namespace bloomery
