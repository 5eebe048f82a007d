// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace bloomery::os {

// Loads a shared library for as long as the process lives, with all that it needs. Null: `why` says
// what the system says, or nothing.
void* load_library(const char* file, std::string& why);

// The address of a function of such a library, or null.
void* find_function(void* library, const char* name) noexcept;

}  // namespace bloomery::os
