// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace bloomery::os {

// Lets fork() call `before` in the process that forks, and behind it one of the others in each of
// the two; where there is no fork(), nobody calls any. Returns 0 or an error's number.
int at_fork(void (*before)(), void (*in_parent)(), void (*in_child)()) noexcept;

}  // namespace bloomery::os
