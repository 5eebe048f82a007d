// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "cli/app.h"
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
    NamedCommand{"create", add_create},
    NamedCommand{"insert", add_insert},
    NamedCommand{"erase", add_erase},
    NamedCommand{"check", add_check},
    NamedCommand{"dedup", add_dedup},
    NamedCommand{"info", add_info},
    NamedCommand{"explain", add_explain},
    NamedCommand{"merge", add_merge},
    NamedCommand{"load", add_load},
    NamedCommand{"follow", add_follow},
    NamedCommand{"rebuild", add_rebuild},
    NamedCommand{"convert", add_convert},
    NamedCommand{"push", add_push},
    NamedCommand{"seal", add_seal},
    NamedCommand{"clear", add_clear},
    NamedCommand{"destroy", add_destroy},
    NamedCommand{"formats", add_formats},
    NamedCommand{"rdb", add_rdb},
    NamedCommand{"calc", add_calc},
    NamedCommand{"measure", add_measure},
    NamedCommand{"demo", add_demo},
    NamedCommand{"experiments", add_experiments},
    NamedCommand{"completion", add_completion, true},
    NamedCommand{"help", add_help, true},
};

}  // namespace bloomery::cli
