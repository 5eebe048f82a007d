// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace bloomery {

// bindings/guard/guard.lua, byte for byte, and its SHA-1, by which EVALSHA names it.
extern const std::string_view kGuardScript;
extern const std::string_view kGuardScriptSum;

}  // namespace bloomery
