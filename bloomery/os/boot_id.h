// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace bloomery::os {

// 32 hexadecimal digits that no other start of this machine or another has, with "-" between some.
// Nothing where the system does not say. Throws std::system_error where files that processes share
// are not supported, as nobody else asks.
std::string boot_id();

// The source of boot_id(), for messages.
extern const char* const kBootIdSource;

}  // namespace bloomery::os
