// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "module/value_type.h"

namespace bloomery::module {

// The value of a key in the place of a filter that a primary or a file announced, and that could
// not be followed: an empty key would come back with what is added next, and say "absent" of all
// before.
struct LostFilter {
  using Kept = LostFilter;
  static constexpr bool is_type(ValueType type) noexcept { return type == ValueType::lost; }
  static constexpr ValueType type() noexcept { return ValueType::lost; }

  explicit LostFilter(std::string reason) : why(std::move(reason)) {}

  std::string refusal() const {
    return "ERR this filter is lost: " + why + "; delete the key and load the filter again";
  }

  // Adds to it go to a load that is under way, as if there was nothing; when that is gone, however
  // it ended, what it had kept is.
  bool awaits_load() const { return why == kAwaitsLoad; }
  static constexpr const char* kAwaitsLoad = "its items are in a load that is under way or gone";

  std::string why;
};

}  // namespace bloomery::module
