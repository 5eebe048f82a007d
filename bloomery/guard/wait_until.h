// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <mutex>

#include "bloomery/place/call_context.h"

namespace bloomery {

// Waits until `done()`, or until the context is over. Returns what done() says then.
template <class Done>
bool wait_until(std::condition_variable_any& changed, std::unique_lock<std::mutex>& lock,
                const CallContext& context, Done done) {
  if (context.deadline == CallContext::kNever) return changed.wait(lock, context.stop, done);
  return changed.wait_until(lock, context.stop, context.deadline, done);
}

}  // namespace bloomery
