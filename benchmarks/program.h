// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "cli/command_line.h"

// run_program() is the main() of the benchmarks that have options.
namespace bloomery::bench {

struct Program {
  std::string name;         // as users call it
  std::string description;  // what --help begins with
  std::string footer{};     // and ends with
};

// Reads the command line, as `declare` says it, and runs. Prints help, or what went wrong. Returns
// the exit status: that of `run`, 0 for help, 2 for a mistake on the command line or a fault.
int run_program(const Program& program, int argc, const char* const* argv,
                const std::function<void(cli::Command)>& declare, const std::function<int()>& run);

// A whole number from `least` to `most`; others are refused.
void add_number(cli::Command command, const std::string& names, std::uint64_t least,
                std::uint64_t most, const std::string& description,
                std::function<void(std::uint64_t)> take);
// A file that is there.
cli::Option add_file(cli::Command command, const std::string& names, std::string& file,
                     const std::string& description);

}  // namespace bloomery::bench
