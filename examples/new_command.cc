// SPDX-License-Identifier: Apache-2.0
// A command of your own, to copy: how full a filter is. The steps are those of
// docs/contributing/add_a_command.md; the program has this one command.
#include <memory>

#include "cli/app.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/filter_report.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/report.h"

using namespace bloomery;
using namespace bloomery::cli;

// Step 1: one file with add_NAME. The summary of --help starts with a verb; examples follow it.
namespace {

constexpr const char* kFullnessExamples =
    R"(Says which share of a filter's bits is set. A filter that is made for its keys is half full.

Examples:
  example_new_command fullness users.bloom
  example_new_command fullness guava:users.bin --json

Exit status: 0 some bits are set, 1 none is.)";

struct FullnessArguments {
  PlaceLocation place;
  bool json = false;
};

// Answers go to standard output, and every report has --json. What throws becomes a message on
// standard error, and the exit status 2.
int tell_fullness(const FullnessArguments& arguments) {
  const AnyFilter filter = load_for_use(arguments.place);
  const double ratio = filter.fill_ratio();
  Report report;
  report.add("file", arguments.place.text());
  report.add("fill_ratio", ratio);
  Output output;
  print(report, arguments.json, output);
  return ratio > 0 ? kSome : kNone;
}

void add_fullness(Command app, int& status) {
  const auto arguments = std::make_shared<FullnessArguments>();
  const Command command = app.add_subcommand("fullness", "Tell how full a filter is");
  add_filter(command, "FILE", "a filter's file, ours or FORMAT:FILE", arguments->place).required();
  add_json(command, arguments->json);
  command.footer(kFullnessExamples);
  command.callback([arguments, &status] { status = tell_fullness(*arguments); });
}

}  // namespace

// Step 2: a line in the list of commands. That of `bloomery` is kCommands in cli/commands.h.
int main(int argc, char** argv) {
  constexpr NamedCommand kMine[] = {{"fullness", add_fullness}};
  const char* const help[] = {argv[0], "fullness", "--help"};
  return argc == 1 ? run(kMine, 3, help) : run(kMine, argc, argv);
}

// Step 3: one test file, which is tests/examples/new_command_test.sh for this command.
