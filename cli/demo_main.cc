// SPDX-License-Identifier: Apache-2.0
// `bloomery demo` as a program of its own, which needs a third of the library: ./run shows its
// result while the rest would still be compiling.
#include "cli/app.h"
#include "cli/commands.h"

int main(int argc, char** argv) {
  constexpr bloomery::cli::NamedCommand kDemo[] = {{"demo", bloomery::cli::add_demo}};
  return bloomery::cli::run(kDemo, argc, argv);
}
