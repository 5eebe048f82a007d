// SPDX-License-Identifier: Apache-2.0
// bloomery destroy: a filter goes for good.
#include <memory>

#include "bloomery/open/open_place.h"
#include "cli/arguments.h"
#include "cli/asked_first.h"
#include "cli/commands.h"

namespace bloomery::cli {
namespace {

constexpr const char* kDestroyExamples =
    R"(Removes a file with the settings beside it, or a filter's keys in a server. The command asks before it
removes; without a terminal to ask at, --yes is needed.

Examples:
  bloomery destroy users.bloom --yes
  bloomery destroy redisson:redis://127.0.0.1#users --yes

Exit status: 0 the filter is gone, 1 you answered no.)";

struct DestroyArguments {
  PlaceLocation place;
  bool yes = false;
};

int destroy_filter(const DestroyArguments& arguments) {
  if (!is_meant(arguments.place, "Destroy", arguments.yes)) return kNone;
  destroy(arguments.place);
  return kSome;
}

}  // namespace

void add_destroy(Command app, int& status) {
  const auto arguments = std::make_shared<DestroyArguments>();
  const Command command = app.add_subcommand("destroy", "Remove a filter for good");
  add_filter(command, "FILE", kWhereAFilterIs, arguments->place).required();
  add_yes(command, arguments->yes);
  command.footer(kDestroyExamples);
  command.callback([arguments, &status] { status = destroy_filter(*arguments); });
}

}  // namespace bloomery::cli
