// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/command_manual.h"

// Scripts that make a shell complete the commands, options and listed values of a command line.
// Everything else is completed as a file's name.
namespace bloomery::cli {

std::string bash_completion(const CommandManual& root);
std::string zsh_completion(const CommandManual& root);
std::string fish_completion(const CommandManual& root);

}  // namespace bloomery::cli
