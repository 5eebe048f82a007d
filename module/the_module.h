// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "module/names.h"
#include "module/redis_api.h"
#include "module/settings.h"
#include "module/value_type.h"

namespace bloomery::module {

// The state that there is once: a server loads a module once, and calls it from one thread.
struct Module {
  Api api{};
  Names names{};
  Settings settings{};
  std::array<Type*, kValueTypeCount> types{};  // by ValueType
  bool is_loaded = false;
};
Module& the_module() noexcept;
inline const Api& api() noexcept {
  return the_module().api;
}

}  // namespace bloomery::module
