// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace bloomery::os {

// True where the destructor of a thread_local variable finds the variable as it was left. For
// Windows g++ keeps such variables in memory that it frees before it destroys them.
#if defined(_WIN32)
inline constexpr bool kDestroysThreadLocals = false;
#else
inline constexpr bool kDestroysThreadLocals = true;
#endif

}  // namespace bloomery::os
