// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "benchmarks/redis/ways.h"

namespace bloomery::redis_bench {

// A figure is what one way took with one batch and so many threads.
struct Figure {
  std::string way;
  std::size_t batch = 0;
  int threads = 0;
  double server_ns = 0;   // processor time of the server, a look-up
  double per_second = 0;  // look-ups, of all threads together
  bool loses_keys = false;
};

// Half of the keys that are asked for are `members`, half `strangers`, in turns. `server_seconds`:
// what the server has used until now.
Figure measure(const Way& way, const Ask& ask, std::size_t batch, int threads,
               std::chrono::milliseconds time, std::span<const Key> members,
               std::span<const Key> strangers, const std::function<double()>& server_seconds);

}  // namespace bloomery::redis_bench
