// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bloomery::cli {

// OptionManual and CommandManual describe a command line. --help, man pages and the shells'
// completion are all made of them, so that an option is described in one place.
struct OptionManual {
  std::vector<std::string> names;  // as they are typed: "-n", "--capacity"; a positional's "FILE"
  std::string value;               // what follows: COUNT or "trim|lower|integer"; empty for a flag
  std::string description;
  std::string default_text;  // empty for none
  bool required = false;
  bool repeated = false;              // a positional that takes all words that are left
  std::vector<std::string> excludes;  // the longest names of other options
  std::vector<std::string> needs;
  bool everyday = false;  // what people use before the others

  bool is_positional() const { return !names.front().starts_with('-'); }
  // Returns what a reader sees behind the names; nothing for a positional, whose name says it.
  std::string shown_value() const { return is_positional() ? "" : value; }
};

struct CommandManual {
  std::string name;     // "bloomery" or "bloomery load"
  std::string summary;  // what it does
  std::vector<OptionManual> positionals;
  std::vector<OptionManual> options;
  std::vector<CommandManual> commands;
  std::string closing;  // examples and remarks, laid out by hand
  std::string group{};  // the title under which --help shows it beside others

  // The word that a shell completes: "load".
  std::string last_name() const { return name.substr(name.rfind(' ') + 1); }
};

// The values where a manual lists them: "trim|lower" is trim and lower. Empty for COUNT.
std::vector<std::string> choices_of(const OptionManual& option);

// "bloomery load [OPTIONS] FROM FILE"
std::string synopsis_of(const CommandManual& command);

// The description, and in brackets what else is to know: "seed of the hash (not with --secret)".
std::string remarks_of(const OptionManual& option);

// The words that a shell completes.
std::vector<std::string> names_of(const std::vector<CommandManual>& commands);

// The command of that name. Throws std::invalid_argument, with the name that was probably meant or
// those that there are.
const CommandManual& command_named(const CommandManual& root, std::string_view name);

// "a, b" of a and b, and back.
std::string joined(std::span<const std::string> words, std::string_view separator);
std::vector<std::string_view> parts_of(std::string_view text, char separator);

}  // namespace bloomery::cli
