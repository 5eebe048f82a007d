// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

namespace bloomery::module_bench {

// While this lives, this thread and the processes that it starts stay on one processor: waking one
// that sleeps on another takes up to ten times as long as the commands it is woken for, or nothing,
// as chance will have it.
class OneProcessor {
 public:
  OneProcessor() {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<unsigned>(sched_getcpu()), &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  ~OneProcessor() { sched_setaffinity(0, sizeof before_, &before_); }
  OneProcessor(const OneProcessor&) = delete;
  OneProcessor& operator=(const OneProcessor&) = delete;

 private:
  cpu_set_t before_;
};

}  // namespace bloomery::module_bench
