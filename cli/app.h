// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "cli/command_line.h"

namespace bloomery::cli {

// A subcommand. `add` declares it to the parser, under this name; where the user gives it, it
// leaves its exit status in `status`.
struct NamedCommand {
  std::string_view name;
  void (*add)(Command app, int& status);
  const char* group = "Commands";  // the title under which --help shows it with others
  bool tells_of_all = false;       // needs the others declared, too
};

// All that main() does: parses the arguments, runs that of the subcommands which they name, and
// says what went wrong on standard error. Returns the exit status (exit_status.h); lets no
// exception out.
int run(std::span<const NamedCommand> commands, int argc, const char* const* argv) noexcept;

}  // namespace bloomery::cli
