// SPDX-License-Identifier: Apache-2.0
#include "cli/app.h"
#include "cli/commands.h"

int main(int argc, char** argv) {
  return bloomery::cli::run(bloomery::cli::kCommands, argc, argv);
}
