#include "cli/app.h"
#include "cli/commands.h"

int main(int argc, char** argv) {
  return bloomery::cli::run(bloomery::cli::kCommands, argc, argv);
}
