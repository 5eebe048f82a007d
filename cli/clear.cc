// SPDX-License-Identifier: Apache-2.0
// bloomery clear: a filter loses all its keys.
#include <memory>

#include "bloomery/open/open_place.h"
#include "cli/arguments.h"
#include "cli/asked_first.h"
#include "cli/commands.h"
#include "cli/edit_file.h"

namespace bloomery::cli {
namespace {

constexpr const char* kClearExamples =
    R"(Makes a filter empty. Its size, its kind and how its keys are written stay, and in a server its time to
live. A scalable filter begins anew with one layer. A follower of a filter in a server loads all rows
again; for another system's bitmap without trailer=1 it does so with the next change. The command asks
before it clears; without a terminal to ask at, --yes is needed.

Examples:
  bloomery clear users.bloom --yes
  bloomery clear redisson:redis://127.0.0.1#users --yes
  bloomery clear bitmap:redis://127.0.0.1#users --yes

Exit status: 0 the filter is empty, 1 you answered no.)";

struct ClearArguments {
  PlaceLocation place;
  EditOptions edit;
  bool yes = false;
};

int clear_filter(const ClearArguments& arguments) {
  if (!is_meant(arguments.place, "Clear", arguments.yes)) return kNone;
  if (!arguments.place.is_live()) require_replaceable(arguments.place.file, arguments.edit);
  retry_while_busy(arguments.place.text(), arguments.edit.patience,
                   [&] { clear(arguments.place); });
  return kSome;
}

}  // namespace

void add_clear(Command app, int& status) {
  const auto arguments = std::make_shared<ClearArguments>();
  const Command command = app.add_subcommand("clear", "Make a filter empty");
  add_filter(command, "FILE", kWhereAFilterIs, arguments->place).required();
  add_yes(command, arguments->yes);
  add_edit_options(command, arguments->edit);
  command.footer(kClearExamples);
  command.callback([arguments, &status] { status = clear_filter(*arguments); });
}

}  // namespace bloomery::cli
