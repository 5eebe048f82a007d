// SPDX-License-Identifier: Apache-2.0
#include "cli/shell_completion.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace bloomery::cli {
namespace {

std::vector<std::string> names_of(const std::vector<OptionManual>& options) {
  std::vector<std::string> names;
  for (const OptionManual& option : options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

// Words that the first argument of a command can be, where these are known.
std::vector<std::string> arguments_of(const CommandManual& command, const CommandManual& root) {
  if (command.last_name() == "help") return names_of(root.commands);
  return command.positionals.empty() ? std::vector<std::string>{}
                                     : choices_of(command.positionals.front());
}

bool takes_file(const OptionManual& option) {
  return option.value.find("FILE") != std::string::npos || option.value == "FOLDER";
}

// Cuts a description before its first remark, so that it fits beside an option.
std::string brief(const std::string& text) {
  const std::string line = text.substr(0, text.find('\n'));
  return line.substr(0, std::min({line.find("; "), line.find(": "), line.find(" (")}));
}

// Shows the values of an option where they explain themselves.
std::string brief(const OptionManual& option) {
  return choices_of(option).empty() ? brief(option.description) : option.value;
}

std::string in_quotes(std::string_view text) {
  std::string all = "'";
  for (const char c : text) all += c == '\'' ? "'\\''" : std::string(1, c);
  return all + "'";
}

std::string in_fish_quotes(std::string_view text) {
  std::string all = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') all += '\\';
    all += c;
  }
  return all + "'";
}

// Escapes what has a meaning of its own between the brackets of _arguments.
std::string for_brackets(std::string_view text) {
  std::string all;
  for (const char c : text) {
    if (std::string_view("[]:\\").find(c) != std::string_view::npos) all += '\\';
    all += c;
  }
  return all;
}

std::string bash_case_of(const CommandManual& command, const CommandManual& root) {
  std::string text = "    " + command.last_name() +
                     ")\n      options=" + in_quotes(joined(names_of(command.options), " ")) + "\n";
  if (const auto words = arguments_of(command, root); !words.empty()) {
    text += "      values=" + in_quotes(joined(words, " ")) + "\n";
  }
  std::string cases;
  for (const OptionManual& option : command.options) {
    if (option.value.empty()) continue;
    cases += "        " + joined(option.names, "|") +
             ") options= values=" + in_quotes(joined(choices_of(option), " ")) + " ;;\n";
  }
  if (!cases.empty()) text += "      case $before in\n" + cases + "      esac\n";
  return text + "      ;;\n";
}

// Keeps a colon, which parts zsh's description of an option, within a message.
std::string for_message(std::string_view text) {
  std::string message;
  for (const char each : text) message += each == ':' ? std::string("\\:") : std::string(1, each);
  return message;
}

// A line for each name, which rules out the others.
std::string zsh_arguments(const OptionManual& option) {
  const auto choices = choices_of(option);
  std::string value;
  if (!choices.empty()) {
    value = ":value:(" + joined(choices, " ") + ")";
  } else if (!option.value.empty()) {
    value = ":" + for_message(option.value) + ":" + (takes_file(option) ? "_files" : "");
  }
  std::string lines;
  for (const std::string& name : option.names) {
    lines += "        " +
             in_quotes("(" + joined(option.names, " ") + ")" + name + "[" +
                       for_brackets(brief(option)) + "]" + value) +
             " \\\n";
  }
  return lines;
}

std::string fish_option(const std::string& condition, const OptionManual& option) {
  std::string line = "complete -c bloomery -n " + in_fish_quotes(condition);
  for (const std::string& name : option.names) {
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (!option.value.empty()) line += takes_file(option) ? " -r" : " -x";
  const auto choices = choices_of(option);
  if (!choices.empty()) line += " -a " + in_fish_quotes(joined(choices, " "));
  return line + " -d " + in_fish_quotes(brief(option)) + "\n";
}

}  // namespace

std::string bash_completion(const CommandManual& root) {
  std::string cases;
  for (const CommandManual& command : root.commands) cases += bash_case_of(command, root);
  return "# Completion of bloomery in bash: eval \"$(bloomery completion bash)\"\n"
         "_bloomery() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
         "  local command=${COMP_WORDS[1]} options= values=\n"
         "  [ \"$COMP_CWORD\" -gt 1 ] || command=\n"
         "  case $command in\n"
         "    '')\n"
         "      options=" +
         in_quotes(joined(names_of(root.options), " ")) +
         "\n      values=" + in_quotes(joined(names_of(root.commands), " ")) + "\n      ;;\n" +
         cases +
         "  esac\n"
         "  case $word in\n"
         "    -*) values=$options ;;\n"
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))\n"
         "}\n"
         "complete -o default -F _bloomery bloomery\n";
}

std::string zsh_completion(const CommandManual& root) {
  std::string commands;
  std::string cases;
  for (const CommandManual& command : root.commands) {
    commands += "    " + in_quotes(command.last_name() + ":" + brief(command.summary)) + "\n";
    cases += "    " + command.last_name() + ")\n      _arguments \\\n";
    for (const OptionManual& option : command.options) cases += zsh_arguments(option);
    const auto words = arguments_of(command, root);
    cases += words.empty() ? "        '*:file:_files'\n"
                           : "        '1:name:(" + joined(words, " ") + ")'\n";
    cases += "      ;;\n";
  }
  return "#compdef bloomery\n"
         "# Completion of bloomery in zsh: save it as _bloomery in a folder of $fpath.\n"
         "_bloomery() {\n"
         "  local -a commands=(\n" +
         commands +
         "  )\n"
         "  if (( CURRENT == 2 )); then\n"
         "    _describe command commands\n"
         "    return\n"
         "  fi\n"
         "  local command=$words[2]\n"
         "  shift words\n"
         "  (( CURRENT-- ))\n"
         "  case $command in\n" +
         cases +
         "  esac\n"
         "}\n"
         "compdef _bloomery bloomery\n";
}

std::string fish_completion(const CommandManual& root) {
  std::string text =
      "# Completion of bloomery in fish: bloomery completion fish | source\n"
      "complete -c bloomery -n __fish_use_subcommand -f\n";
  for (const CommandManual& command : root.commands) {
    text += "complete -c bloomery -n __fish_use_subcommand -f -a " + command.last_name() + " -d " +
            in_fish_quotes(brief(command.summary)) + "\n";
  }
  for (const OptionManual& option : root.options) {
    text += fish_option("__fish_use_subcommand", option);
  }
  for (const CommandManual& command : root.commands) {
    const std::string given = "__fish_seen_subcommand_from " + command.last_name();
    if (const auto words = arguments_of(command, root); !words.empty()) {
      text += "complete -c bloomery -n " + in_fish_quotes(given) + " -f -a " +
              in_fish_quotes(joined(words, " ")) + "\n";
    }
    for (const OptionManual& option : command.options) text += fish_option(given, option);
  }
  return text;
}

}  // namespace bloomery::cli
