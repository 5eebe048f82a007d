// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "cli/command_line.h"
#include "cli/exit_status.h"

// The subcommands, each in the file of its name. add_NAME declares the command and its options to
// the parser; when the user gives it, it runs and leaves its exit status in `status`.
namespace bloomery::cli {

void add_create(Command app, int& status);
void add_insert(Command app, int& status);
void add_erase(Command app, int& status);
void add_check(Command app, int& status);
void add_dedup(Command app, int& status);
void add_info(Command app, int& status);
void add_explain(Command app, int& status);
void add_merge(Command app, int& status);
void add_load(Command app, int& status);
void add_follow(Command app, int& status);
void add_rebuild(Command app, int& status);
void add_convert(Command app, int& status);
void add_clear(Command app, int& status);
void add_destroy(Command app, int& status);
void add_formats(Command app, int& status);
void add_push(Command app, int& status);
void add_seal(Command app, int& status);
void add_rdb(Command app, int& status);
void add_calc(Command app, int& status);
void add_measure(Command app, int& status);
void add_demo(Command app, int& status);
void add_experiments(Command app, int& status);
void add_completion(Command app, int& status);
void add_help(Command app, int& status);

// In the order of --help.
inline constexpr std::array kCommands{
    add_create,  add_insert,  add_erase, add_check,       add_dedup,      add_info,
    add_explain, add_merge,   add_load,  add_follow,      add_rebuild,    add_convert,
    add_push,    add_seal,    add_clear, add_destroy,     add_formats,    add_rdb,
    add_calc,    add_measure, add_demo,  add_experiments, add_completion, add_help,
};

}  // namespace bloomery::cli
