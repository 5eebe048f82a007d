// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "cli/command_line.h"

namespace bloomery::cli {

// Declares a subcommand to the parser; where the user gives it, it leaves its exit status in
// `status`.
using AddCommand = void (*)(Command app, int& status);

// All that main() does: parses the arguments, runs that of the subcommands which they name, and
// says what went wrong on standard error. Returns the exit status (exit_status.h); lets no
// exception out.
int run(std::span<const AddCommand> commands, int argc, const char* const* argv) noexcept;

}  // namespace bloomery::cli
