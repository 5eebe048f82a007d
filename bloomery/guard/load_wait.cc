// SPDX-License-Identifier: Apache-2.0
#include "bloomery/guard/load_wait.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <string>

namespace bloomery {

void LoadWait::pause(const CallContext& context) {
  constexpr std::chrono::microseconds kLongest{12'000};
  const auto now = CallContext::Clock::now();
  if (now >= until_) {
    throw WaitedTooLong("guard: another process has loaded the row for " +
                        std::to_string(limit_.count()) + " ms; wait_limit allows no more");
  }
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_until(lock, context.stop, std::min({now + length_, until_, context.deadline}),
                   [] { return false; });
  if (context.is_over()) {
    throw CallAborted("guard: the call was over before the row that another process loads");
  }
  length_ = std::min(length_ * 3 / 2, kLongest);
}

}  // namespace bloomery
