// SPDX-License-Identifier: Apache-2.0
// `./run demo --postgres` as a program of its own: it starts servers, which the command never does.
#include "cli/app.h"
#include "cli/live_demo/live_demo.h"

int main(int argc, char** argv) {
  constexpr bloomery::cli::NamedCommand kDemo[] = {{"demo", bloomery::cli::add_live_demo}};
  return bloomery::cli::run(kDemo, argc, argv);
}
