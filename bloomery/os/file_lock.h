// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace bloomery::os {

enum class LockSort { shared, exclusive };

// Locks an open file against others who open it, of this process or another, and waits for nobody.
// It keeps no one from reading or writing. The lock ends with the open file. False: errno says why,
// EWOULDBLOCK where another has it.
bool try_lock(int descriptor, LockSort sort) noexcept;

void unlock(int descriptor) noexcept;

}  // namespace bloomery::os
