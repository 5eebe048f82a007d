#pragma once

#include <array>

#include "cli/exit_status.h"

namespace CLI {
class App;
}

// The subcommands, each in the file of its name. add_NAME declares the command and its options to
// the parser; when the user gives it, it runs and leaves its exit status in `status`.
namespace bloomery::cli {

void add_create(CLI::App& app, int& status);
void add_insert(CLI::App& app, int& status);
void add_erase(CLI::App& app, int& status);
void add_check(CLI::App& app, int& status);
void add_dedup(CLI::App& app, int& status);
void add_info(CLI::App& app, int& status);
void add_explain(CLI::App& app, int& status);
void add_merge(CLI::App& app, int& status);
void add_load(CLI::App& app, int& status);
void add_convert(CLI::App& app, int& status);
void add_formats(CLI::App& app, int& status);
void add_push(CLI::App& app, int& status);
void add_rdb(CLI::App& app, int& status);
void add_calc(CLI::App& app, int& status);
void add_measure(CLI::App& app, int& status);
void add_demo(CLI::App& app, int& status);
void add_experiments(CLI::App& app, int& status);

// In the order of --help.
inline constexpr std::array kCommands{
    add_create,  add_insert, add_erase,   add_check,   add_dedup,       add_info,
    add_explain, add_merge,  add_load,    add_convert, add_push,        add_formats,
    add_rdb,     add_calc,   add_measure, add_demo,    add_experiments,
};

}  // namespace bloomery::cli
