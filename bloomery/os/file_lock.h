// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace bloomery::os {

enum class LockSort { shared, exclusive };

// Locks an open file against others who open it, of this process or another, and waits for nobody.
// It keeps no one from reading or writing. The lock ends with the open file. False: errno says why,
// EWOULDBLOCK where another has it.
bool try_lock(int descriptor, LockSort sort) noexcept;

void unlock(int descriptor) noexcept;

// Locks one byte of an open file against others who open it, as try_lock() does exclusively, beside
// its locks and whatever of the file those allow. The descriptor is open for writing.
bool try_lock_byte(int descriptor, std::uint64_t at) noexcept;

}  // namespace bloomery::os
