// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "bloomery/filter/window.h"

namespace bloomery::testing {

inline constexpr std::uint64_t kNoon = 1'700'000'000'000;

// A clock that tests set.
struct FakeClock {
  std::atomic<std::uint64_t> now_ms{kNoon};

  Window window(std::uint64_t length_ms, std::uint32_t generations = 4) {
    return {.length_ms = length_ms, .generations = generations, .clock = [this] {
              return now_ms.load();
            }};
  }
};

}  // namespace bloomery::testing
