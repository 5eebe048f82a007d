#pragma once

#include <array>

#include "cli/exit_status.h"

namespace CLI {
class App;
}

// The subcommands, each in the file of its name. add_NAME declares the command and its options to
// the parser; when the user gives it, it runs and leaves its exit status in `status`.
namespace bloomery::cli {

void add_calc(CLI::App& app, int& status);

// In the order of --help.
inline constexpr std::array kCommands{
    add_calc,
};

}  // namespace bloomery::cli
