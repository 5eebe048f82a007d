// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace bloomery {

// The time that windows go by: what the system's clock said when it was first asked, and from there
// on what passed. Who sets the system's clock, back or ahead, moves no generation of a process that
// runs.
class SteadyWall {
 public:
  using Clock = std::uint64_t (*)() noexcept;  // milliseconds

  // `wall` tells the time since 1970, `passed` that since some moment, and is never set.
  SteadyWall(Clock wall, Clock passed) noexcept : passed_(passed), begin_ms_(wall() - passed()) {}

  std::uint64_t now_ms() const noexcept { return begin_ms_ + passed_(); }

 private:
  Clock passed_;
  std::uint64_t begin_ms_;  // wraps, as the sum does
};

// Returns the time of this process's SteadyWall. Time that the machine sleeps passes too.
std::uint64_t steady_wall_ms() noexcept;

}  // namespace bloomery
