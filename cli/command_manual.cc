#include "cli/command_manual.h"

namespace bloomery::cli {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

std::vector<std::string> choices_of(const OptionManual& option) {
  std::vector<std::string> choices;
  if (option.value.find('|') == std::string::npos) return choices;
  for (std::size_t begin = 0; begin <= option.value.size();) {
    const std::size_t end = std::min(option.value.find('|', begin), option.value.size());
    choices.push_back(option.value.substr(begin, end - begin));
    begin = end + 1;
  }
  return choices;
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
  if (option.required && option.names.front().starts_with('-')) remarks.emplace_back("required");
  if (!option.default_text.empty()) remarks.push_back(option.default_text + " by default");
  if (!option.excludes.empty()) remarks.push_back("not with " + joined(option.excludes));
  if (!option.needs.empty()) remarks.push_back("only with " + joined(option.needs));
  if (remarks.empty()) return option.description;
  return option.description + " (" + joined(remarks) + ")";
}

}  // namespace bloomery::cli
