#include <csignal>

#include "cli/app.h"

int main(int argc, char** argv) {
  // A reader that has gone ends the command without a word, as it does for every filter of a shell,
  // even where the parent process ignores the signal. A file beyond its allowed size is an error of
  // write(2) with a message, not a death.
  std::signal(SIGPIPE, SIG_DFL);
  std::signal(SIGXFSZ, SIG_IGN);
  return bloomery::cli::run(argc, argv);
}
