// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace bloomery::module {

// Returns the time that filters with a window take for now, in milliseconds since 1970:
// steady_wall_ms(), but in commands of a primary or of a file that of their first run, so that both
// see the same.
std::uint64_t window_now() noexcept;

// While this lives, windows of time see this moment as now.
class AtMoment {
 public:
  explicit AtMoment(std::uint64_t milliseconds) noexcept;
  ~AtMoment();
  AtMoment(const AtMoment&) = delete;
  AtMoment& operator=(const AtMoment&) = delete;
};

}  // namespace bloomery::module
