// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

namespace bloomery {

// A number as another type, which on this machine may be its own: a cast to that is a warning where
// -Wuseless-cast is on, also in headers.
template <class To, class From>
[[gnu::always_inline]] constexpr To as_type(From number) noexcept {
  if constexpr (std::same_as<To, From>) {
    return number;
  } else {
    return static_cast<To>(number);
  }
}

}  // namespace bloomery
