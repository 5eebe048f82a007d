// SPDX-License-Identifier: Apache-2.0
#include "cli/app.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "cli/exit_status.h"
#include "cli/messages.h"
#include "cli/output.h"

namespace bloomery::cli {
namespace {

constexpr const char* kDescription =
    "Bloom filters: ask whether a key was ever inserted, from about a byte a key.\n"
    "\"Absent\" is certain; \"maybe\" is wrong at the rate you choose.";

constexpr const char* kFooter =
    "Exit status: 0 some keys were found, inserted or printed; 1 none was; 2 an error, misuse or "
    "an\n"
    "unknown answer.\n"
    "bloomery help COMMAND shows the options of a command, with examples.";

// The command that the first word names, as declaring all of them takes longer than most of them
// run; all, where it names none or one that tells of all.
std::span<const NamedCommand> wanted_of(std::span<const NamedCommand> commands, int argc,
                                        const char* const* argv) {
  if (argc < 2) return commands;
  const auto named = std::ranges::find(commands, std::string_view(argv[1]), &NamedCommand::name);
  if (named == commands.end() || named->tells_of_all) return commands;
  return {named, 1};
}

int run_or_throw(std::span<const NamedCommand> commands, int argc, const char* const* argv) {
  CommandLine line("bloomery", kDescription, "bloomery " BLOOMERY_VERSION, kFooter);
  int status = kSome;
  for (const NamedCommand& command : wanted_of(commands, argc, argv)) {
    command.add(line.root(), status);
    line.root().end_group(command.group);
  }
  if (const std::optional<std::string> text = line.parse(argc, argv)) {
    Output output;
    output.write(*text);
    output.flush();
  }
  return status;
}

bool wants_json(int argc, const char* const* argv) {
  const std::span words(argv, static_cast<std::size_t>(argc));
  const auto options_end = std::ranges::find(words, std::string_view("--"));
  return std::find(words.begin(), options_end, std::string_view("--json")) != options_end;
}

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

int run(std::span<const NamedCommand> commands, int argc, const char* const* argv) noexcept {
  occupy_closed_streams();
  // A reader that has gone ends the command without a word, as it does for every filter of a shell,
  // even where the parent process ignores the signal. A file beyond its allowed size is an error of
  // write(2) with a message, not a death.
  std::signal(SIGPIPE, SIG_DFL);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return run_or_throw(commands, argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("bloomery: out of memory\n", stderr);
  } catch (const std::exception& error) {
    complain_of_failure(error.what(), wants_json(argc, argv));
  }
  return kFault;
}

}  // namespace bloomery::cli
