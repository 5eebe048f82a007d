#include "cli/app.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>

#include "bloomery/source/printable.h"
#include "cli/commands.h"
#include "cli/messages.h"
#include "cli/output.h"

namespace bloomery::cli {
namespace {

constexpr const char* kDescription =
    "Bloom filters: ask whether a key was ever seen, in about a byte a key.\n"
    "\"No\" is certain; \"maybe\" is wrong at the rate you choose.";

constexpr const char* kFooter =
    "Exit status: 0 some, 1 none, 2 an error or misuse.\n"
    "bloomery COMMAND --help shows the options of a command, with examples.";

// The words after which the parser stopped: "bloomery" or "bloomery check".
std::string words_parsed(const CLI::App& app) {
  std::string words = app.get_name();
  for (const CLI::App* command : app.get_subcommands()) words += " " + command->get_name();
  return words;
}

// --help and --version come out of the parser as exceptions too.
int end_parsing(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::Success)) {
    complain(std::string(error.what()) + "\nTry: " + words_parsed(app) + " --help");
    return kFault;
  }
  std::ostringstream text;
  app.exit(error, text, text);
  Output output;
  output.write(text.str());
  output.flush();
  return kSome;
}

// The parser would only say that it expected a command.
void refuse_unknown_command(const CLI::App& app, int argc, const char* const* argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::string names;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == argv[1]) return;
    names += (names.empty() ? "" : ", ") + command->get_name();
  }
  throw std::invalid_argument(printable(argv[1]) + " is no command; there are " + names +
                              "\nTry: bloomery --help");
}

int run_or_throw(int argc, const char* const* argv) {
  CLI::App app(kDescription, "bloomery");
  app.set_version_flag("--version", "bloomery " BLOOMERY_VERSION, "Print the version and exit");
  app.footer(kFooter);
  app.require_subcommand(1);
  int status = kSome;
  for (const auto add : kCommands) add(app, status);
  refuse_unknown_command(app, argc, argv);
  try {
    app.parse(argc, argv);
    return status;
  } catch (const CLI::ParseError& error) {
    return end_parsing(app, error);
  }
}

}  // namespace

int run(int argc, const char* const* argv) noexcept {
  try {
    return run_or_throw(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("bloomery: out of memory\n", stderr);
  } catch (const std::exception& error) {
    complain(error.what());
  }
  return kFault;
}

}  // namespace bloomery::cli
