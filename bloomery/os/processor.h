// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace bloomery::os {

// Returns whether a 64-bit Arm processor has the instructions of AES; false of others, which say so
// themselves.
bool has_arm_aes() noexcept;

}  // namespace bloomery::os
