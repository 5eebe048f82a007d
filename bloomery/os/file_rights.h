// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bloomery/os/file_status.h"

// Rights of an open file. Where a number of an error is returned, 0 is success.
namespace bloomery::os {

// Gives a file to a user and a group, or to the group alone where this process may not do more, or
// leaves it as it is where not even that, or where the file system has no owners.
int keep_owner(int descriptor, Owner owner) noexcept;

// Sets the bits of chmod(2). On Windows only whether anybody may write means something.
int set_permissions(int descriptor, std::uint32_t permissions) noexcept;

// Returns 0 where this process may make files in a folder, else why not.
int may_create_in(int folder) noexcept;

}  // namespace bloomery::os
