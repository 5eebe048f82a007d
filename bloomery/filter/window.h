// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace bloomery {

// Window: what a WindowedFilter remembers; see windowed_filter.h.
struct Window {
  std::uint64_t length_ms = 0;  // 0: the last `capacity` keys that were inserted, whenever that was
  std::uint32_t generations = 4;  // a key may stay one part in so many longer than it must
  // Milliseconds since 1970; steady_wall_ms() where there is none. Called by every question, from
  // any thread; throws nothing. Not stored. One that goes back or leaps: see windowed_filter.h.
  std::function<std::uint64_t()> clock{};

  friend bool operator==(const Window& a, const Window& b) noexcept {
    return a.length_ms == b.length_ms && a.generations == b.generations;
  }
};

}  // namespace bloomery
