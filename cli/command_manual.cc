// SPDX-License-Identifier: Apache-2.0
#include "cli/command_manual.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "bloomery/text/printable.h"
#include "cli/did_you_mean.h"

namespace bloomery::cli {

std::string joined(std::span<const std::string> words, std::string_view separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::vector<std::string> choices_of(const OptionManual& option) {
  const std::vector<std::string_view> choices = parts_of(option.value, '|');
  if (choices.size() == 1) return {};
  return {choices.begin(), choices.end()};
}

std::vector<std::string> names_of(const std::vector<CommandManual>& commands) {
  std::vector<std::string> names;
  for (const CommandManual& command : commands) names.push_back(command.last_name());
  return names;
}

const CommandManual& command_named(const CommandManual& root, std::string_view name) {
  const auto found = std::ranges::find(root.commands, name, &CommandManual::last_name);
  if (found != root.commands.end()) return *found;
  const std::vector<std::string> names = names_of(root.commands);
  std::string hint = did_you_mean(name, names);
  if (hint.empty()) {
    hint = names.empty() ? " of " + root.name : "; there are " + joined(names, ", ");
  }
  throw std::invalid_argument(printable(name) + " is no command" + hint + "\nTry: " + root.name +
                              " --help");
}

std::string synopsis_of(const CommandManual& command) {
  std::string text = command.name;
  if (!command.options.empty()) text += " [OPTIONS]";
  for (const OptionManual& positional : command.positionals) {
    const std::string name = positional.names.front() + (positional.repeated ? "..." : "");
    text += positional.required ? " " + name : " [" + name + "]";
  }
  return command.commands.empty() ? text : text + " COMMAND";
}

std::string remarks_of(const OptionManual& option) {
  std::vector<std::string> remarks;
  if (option.required && !option.is_positional()) remarks.emplace_back("required");
  if (!option.default_text.empty()) remarks.push_back(option.default_text + " by default");
  if (!option.excludes.empty()) remarks.push_back("not with " + joined(option.excludes, ", "));
  if (!option.needs.empty()) remarks.push_back("only with " + joined(option.needs, ", "));
  if (remarks.empty()) return option.description;
  return option.description + " (" + joined(remarks, ", ") + ")";
}

}  // namespace bloomery::cli
