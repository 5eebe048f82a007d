// bloomery destroy: a filter goes for good.
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

#include "bloomery/place/open_place.h"
#include "bloomery/text/printable.h"
#include "cli/arguments.h"
#include "cli/commands.h"

namespace bloomery::cli {
namespace {

constexpr const char* kDestroyExamples =
    R"(Removes a file with the settings beside it, or a filter's keys in a server. It asks first; where
there is no terminal to ask at, --yes must have said it.

Examples:
  bloomery destroy users.bloom --yes
  bloomery destroy redisson:redis://127.0.0.1#users --yes

Exit status: 0 it is gone, 1 the answer was no.)";

struct DestroyArguments {
  PlaceLocation place;
  bool yes = false;
};

bool is_meant(const DestroyArguments& arguments) {
  if (arguments.yes) return true;
  const std::string name = arguments.place.text();
  if (!is_taken(arguments.place)) throw std::invalid_argument(name + ": nothing is there");
  if (isatty(STDIN_FILENO) == 0) {
    throw std::invalid_argument(name + ": to be destroyed? Say --yes, where nobody can be asked");
  }
  std::fputs(("Destroy " + printable(name) + " for good? [y/N] ").c_str(), stderr);
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "yes";
}

int destroy_filter(const DestroyArguments& arguments) {
  if (!is_meant(arguments)) return kNone;
  destroy(arguments.place);
  return kSome;
}

}  // namespace

void add_destroy(Command app, int& status) {
  const auto arguments = std::make_shared<DestroyArguments>();
  const Command command = app.add_subcommand("destroy", "Remove a filter for good");
  add_filter(command, "FILE", kWhereAFilterIs, arguments->place).required();
  command.add_flag("-y,--yes", arguments->yes, "do not ask");
  command.footer(kDestroyExamples);
  command.callback([arguments, &status] { status = destroy_filter(*arguments); });
}

}  // namespace bloomery::cli
