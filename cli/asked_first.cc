// SPDX-License-Identifier: Apache-2.0
#include "cli/asked_first.h"

#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <stdexcept>
#include <string>

#include "bloomery/open/open_place.h"
#include "bloomery/text/printable.h"

namespace bloomery::cli {

void add_yes(Command command, bool& yes) {
  command.add_flag("-y,--yes", yes, "do not ask");
}

bool is_meant(const PlaceLocation& place, std::string_view question, bool yes) {
  if (yes) return true;
  const std::string name = place.text();
  const std::string asked = std::string(question) + " " + printable(name) + " for good?";
  if (!is_taken(place)) throw std::invalid_argument(name + ": nothing is there");
  if (isatty(STDIN_FILENO) == 0) {
    throw std::invalid_argument(asked + " Say --yes, where nobody can be asked");
  }
  std::fputs((asked + " [y/N] ").c_str(), stderr);
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "yes";
}

}  // namespace bloomery::cli
