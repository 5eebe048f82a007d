// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/command_manual.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

// Command, Option and CommandLine describe commands to the parser of the command line.
// command_line.cc alone knows which parser that is: its templates are compiled once, not in every
// command.
namespace bloomery::cli {

// An option or a positional argument, so that more can be said of it. A handle: copies are the same
// option; good as long as the CommandLine.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  const Option& required() const;
  const Option& description(const std::string& text) const;
  const Option& type_name(const std::string& name) const;
  // Each is refused where the other is given, or is not.
  const Option& excludes(Option other) const;
  const Option& needs(Option other) const;
  // A value out of the range is refused.
  const Option& range(double least, double most) const;
  // --help shows the value that the variable has now.
  const Option& shows_default() const;

 private:
  CLI::Option* option_;
};

// A command, or the program itself. A handle as Option is. What options are read into must live
// until the command line was parsed. `names` are as "-q,--quiet", or without a dash for a
// positional argument.
class Command {
 public:
  explicit Command(CLI::App* app) : app_(app) {}

  Command add_subcommand(const std::string& name, const std::string& description) const;
  void require_subcommand() const;
  // Gives this title in --help to the commands that were added since the last one was given.
  void end_group(const std::string& title) const;
  // --help shows these of its options before the others, in this order. Names without dashes.
  void everyday(std::span<const char* const> names) const;
  // Sets the text that --help ends with.
  void footer(const std::string& text) const;
  // Sets what runs once the whole command line was read.
  void callback(std::function<void()> run) const;

  Option add_option(const std::string& names, std::string& text,
                    const std::string& description) const;
  Option add_option(const std::string& names, std::vector<std::string>& texts,
                    const std::string& description) const;
  Option add_option(const std::string& names, double& number, const std::string& description) const;
  Option add_option(const std::string& names, std::optional<std::uint64_t>& number,
                    const std::string& description) const;
  // `read` understands a value, or refuses it with a std::invalid_argument.
  Option add_option(const std::string& names, std::function<void(const std::string&)> read,
                    const std::string& description) const;
  // Takes one word each time it is given, byte for byte, whatever it begins with.
  Option add_repeated(const std::string& names, std::vector<std::string>& texts,
                      const std::string& description) const;
  Option add_options(const std::string& names,
                     std::function<void(const std::vector<std::string>&)> read,
                     const std::string& description) const;
  Option add_flag(const std::string& names, bool& flag, const std::string& description) const;
  Option add_flag(const std::string& names, std::function<void()> act,
                  const std::string& description) const;

  // Returns the names, options and texts of this command and of its own commands.
  CommandManual manual() const;

  // Returns whether the user gave the option of this name.
  bool has(const std::string& name) const;
  // The first of these names that the user gave; null where it is none.
  const char* first_given(std::span<const char* const> names) const;

 private:
  CLI::App* app_;
};

// Everything that a program understands.
class CommandLine {
 public:
  // Makes a program without commands.
  CommandLine(const std::string& name, const std::string& description, const std::string& footer);
  // Makes a program that is always called with a command.
  CommandLine(const std::string& name, const std::string& description, const std::string& version,
              const std::string& footer);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  Command root() const;

  // Reads the arguments and runs the callback of the command that they name. Returns the text that
  // --help or --version asked for, if any. Throws std::invalid_argument, with what was probably
  // meant and what to try, for arguments that are wrong, and what the callback throws.
  std::optional<std::string> parse(int argc, const char* const* argv);

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace bloomery::cli
