// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/command_line.h"

namespace bloomery::cli {

// `demo` of the program bloomery_live_demo: servers of its own, which ./run installs.
void add_live_demo(Command app, int& status);

}  // namespace bloomery::cli
