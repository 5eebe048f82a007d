#include <fcntl.h>
#include <unistd.h>

#include <csignal>

#include "cli/app.h"

namespace {

// A standard stream that the parent closed must not become the number of the next file opened: a
// report would be written into a filter. What stands in fails as a closed stream does.
void occupy_closed_streams() {
  constexpr int kUselessMode[] = {O_WRONLY, O_RDONLY, O_RDONLY};
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    // open takes the lowest free number, which is this one.
    if (fcntl(stream, F_GETFD) == -1) static_cast<void>(open("/dev/null", kUselessMode[stream]));
  }
}

}  // namespace

int main(int argc, char** argv) {
  occupy_closed_streams();
  // A reader that has gone ends the command without a word, as it does for every filter of a shell,
  // even where the parent process ignores the signal. A file beyond its allowed size is an error of
  // write(2) with a message, not a death.
  std::signal(SIGPIPE, SIG_DFL);
  std::signal(SIGXFSZ, SIG_IGN);
  return bloomery::cli::run(argc, argv);
}
