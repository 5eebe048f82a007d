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
void add_pull(Command app, int& status);
void add_seal(Command app, int& status);
void add_delta(Command app, int& status);
void add_patch(Command app, int& status);
void add_rdb(Command app, int& status);
void add_calc(Command app, int& status);
void add_measure(Command app, int& status);
void add_demo(Command app, int& status);
void add_experiments(Command app, int& status);
void add_completion(Command app, int& status);
void add_help(Command app, int& status);

inline constexpr const char* kEveryday = "Everyday commands";
inline constexpr const char* kOfServers = "Filters in servers";
inline constexpr const char* kOfTables = "Filters of tables";
inline constexpr const char* kOfOtherSystems = "Filters of other systems";
inline constexpr const char* kMore = "More commands";

// `kCommands` is in the order of --help.
inline constexpr std::array kCommands{
    NamedCommand{"create", add_create, kEveryday},
    NamedCommand{"insert", add_insert, kEveryday},
    NamedCommand{"check", add_check, kEveryday},
    NamedCommand{"load", add_load, kEveryday},
    NamedCommand{"dedup", add_dedup, kEveryday},
    NamedCommand{"info", add_info, kEveryday},
    NamedCommand{"calc", add_calc, kEveryday},
    NamedCommand{"push", add_push, kOfServers},
    NamedCommand{"pull", add_pull, kOfServers},
    NamedCommand{"clear", add_clear, kOfServers},
    NamedCommand{"destroy", add_destroy, kOfServers},
    NamedCommand{"follow", add_follow, kOfTables},
    NamedCommand{"rebuild", add_rebuild, kOfTables},
    NamedCommand{"convert", add_convert, kOfOtherSystems},
    NamedCommand{"formats", add_formats, kOfOtherSystems},
    NamedCommand{"rdb", add_rdb, kOfOtherSystems},
    NamedCommand{"erase", add_erase, kMore},
    NamedCommand{"merge", add_merge, kMore},
    NamedCommand{"explain", add_explain, kMore},
    NamedCommand{"measure", add_measure, kMore},
    NamedCommand{"seal", add_seal, kMore},
    NamedCommand{"delta", add_delta, kMore},
    NamedCommand{"patch", add_patch, kMore},
    NamedCommand{"demo", add_demo, kMore},
    NamedCommand{"experiments", add_experiments, kMore},
    NamedCommand{"completion", add_completion, kMore, true},
    NamedCommand{"help", add_help, kMore, true},
};

}  // namespace bloomery::cli
