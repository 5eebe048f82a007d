// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "bloomery/text/secrets.h"
#include "cli/app.h"
#include "cli/commands.h"

namespace {

// Any user of the machine may read a command line in /proc/PID/cmdline. Whoever looked before this
// has seen it.
void hide_secrets(char* argument) {
  for (const bloomery::TextPart& each : bloomery::secrets_in(argument)) {
    std::fill(argument + each.begin, argument + each.end, '*');
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> words(argv, argv + argc);
  std::vector<const char*> pointers;
  for (const std::string& each : words) pointers.push_back(each.c_str());
  pointers.push_back(nullptr);
  std::for_each(argv, argv + argc, hide_secrets);
  return bloomery::cli::run(bloomery::cli::kCommands, argc, pointers.data());
}
