// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/command_manual.h"
#include "cli/terminal.h"

namespace bloomery::cli {

// Returns what --help prints, within the terminal's width. Only the examples, which are there to be
// pasted, and a list of values may be wider.
std::string help_text(const CommandManual& command, const Terminal& terminal);

}  // namespace bloomery::cli
