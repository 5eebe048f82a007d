// SPDX-License-Identifier: Apache-2.0
#include "cli/help_text.h"

#include <algorithm>

namespace bloomery::cli {
namespace {

// "  -n, --capacity COUNT"; what has no short name stands below the long ones.
std::string head_of(const OptionManual& option) {
  const bool only_long = option.names.front().starts_with("--");
  const std::string text = (only_long ? "      " : "  ") + joined(option.names, ", ");
  const std::string value = option.shown_value();
  return value.empty() ? text : text + " " + value;
}

// The head, and beside or below it what is said of it.
std::string entry(std::string head, const std::string& text, const Terminal& terminal) {
  const std::size_t column = std::min<std::size_t>(28, terminal.width / 2 - 2);
  std::string above;
  if (head.size() + 2 > column) {
    above = head + "\n";
    head.clear();
  }
  head.resize(column, ' ');
  return above + wrapped(head, text, terminal);
}

std::string entries(const std::string& title, const std::vector<OptionManual>& options,
                    const Terminal& terminal) {
  if (options.empty()) return {};
  std::string text = "\n" + title + ":\n";
  for (const OptionManual& option : options) {
    text += entry(head_of(option), remarks_of(option), terminal);
  }
  return text;
}

// Commands of a command stand under no title of their own.
std::string title_of(const CommandManual& command) {
  return command.group == "Subcommands" ? "Commands" : command.group;
}

// Lines of prose are a paragraph, up to an empty one or one that ends with a colon. What stands
// behind blanks was laid out by hand: examples are pasted as they are.
std::string closing_of(std::string_view text, const Terminal& terminal) {
  std::string closing;
  std::string paragraph;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) closing += wrapped("", paragraph, terminal);
    paragraph.clear();
  };
  for (const std::string_view line : parts_of(text, '\n')) {
    if (line.empty() || line.front() == ' ') {
      end_paragraph();
      closing += std::string(line) + "\n";
      continue;
    }
    if (!paragraph.empty()) paragraph += ' ';
    paragraph += line;
    if (line.back() == ':') end_paragraph();
  }
  end_paragraph();
  return closing;
}

}  // namespace

std::string help_text(const CommandManual& command, const Terminal& terminal) {
  std::string text = wrapped("", command.summary, terminal) + "\n" +
                     wrapped("Usage: ", synopsis_of(command), terminal);
  text += entries("Arguments", command.positionals, terminal);
  const auto others = std::ranges::find(command.options, false, &OptionManual::everyday);
  const std::vector<OptionManual> everyday(command.options.begin(), others);
  text += entries("Everyday options", everyday, terminal);
  text += entries(everyday.empty() ? "Options" : "More options", {others, command.options.end()},
                  terminal);
  std::string group;
  for (const CommandManual& each : command.commands) {
    if (each.group != group) text += "\n" + title_of(each) + ":\n";
    group = each.group;
    text += entry("  " + each.last_name(), each.summary, terminal);
  }
  return command.closing.empty() ? text : text + "\n" + closing_of(command.closing, terminal);
}

}  // namespace bloomery::cli
