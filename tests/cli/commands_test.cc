// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"

#include <gtest/gtest.h>

#include <string>

namespace bloomery::cli {
namespace {

// The first word of a command line is looked for in this table, not in what the parser knows.
TEST(Commands, AreDeclaredUnderTheNamesOfTheTable) {
  for (const NamedCommand& command : kCommands) {
    const CommandLine line("bloomery", "", "", "");
    int status = 0;
    command.add(line.root(), status);
    const CommandManual manual = line.root().manual();
    ASSERT_EQ(manual.commands.size(), 1U) << command.name;
    EXPECT_EQ(manual.commands.front().name, "bloomery " + std::string(command.name));
  }
}

}  // namespace
}  // namespace bloomery::cli
