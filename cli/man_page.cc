// SPDX-License-Identifier: Apache-2.0
#include "cli/man_page.h"

#include <algorithm>
#include <cctype>

namespace bloomery::cli {
namespace {

// Text in which roff finds nothing to do. A minus sign is one that can be pasted.
std::string plain(std::string_view text) {
  std::string roff;
  bool begins_line = true;
  for (const char c : text) {
    if (begins_line && (c == '.' || c == '\'')) roff += "\\&";
    begins_line = c == '\n';
    if (c == '\\') {
      roff += "\\e";
    } else if (c == '-') {
      roff += "\\-";
    } else {
      roff += c;
    }
  }
  return roff;
}

std::string bold(std::string_view text) {
  return "\\fB" + plain(text) + "\\fR";
}

std::string italic(std::string_view text) {
  return "\\fI" + plain(text) + "\\fR";
}

std::string section(std::string_view title) {
  return ".SH " + std::string(title) + "\n";
}

std::string entry(const std::string& head, const std::string& text) {
  return ".TP\n" + head + "\n" + plain(text) + "\n";
}

std::string head_of(const OptionManual& option) {
  std::string head;
  for (const std::string& name : option.names) head += (head.empty() ? "" : ", ") + bold(name);
  const std::string value = option.shown_value();
  return value.empty() ? head : head + " " + italic(value);
}

std::string entries(std::string_view title, const std::vector<OptionManual>& options) {
  if (options.empty()) return {};
  std::string text = section(title);
  for (const OptionManual& option : options) text += entry(head_of(option), remarks_of(option));
  return text;
}

// Lines behind blanks were laid out by hand; the others are prose, which roff fills.
std::string notes(std::string_view text) {
  std::string page;
  bool by_hand = false;
  for (const std::string_view line : parts_of(text, '\n')) {
    if (by_hand != line.starts_with(' ')) {
      by_hand = !by_hand;
      page += by_hand ? ".nf\n" : ".fi\n";
    }
    page += line.empty() ? ".PP\n" : plain(line) + "\n";
  }
  return by_hand ? page + ".fi\n" : page;
}

}  // namespace

std::string man_page_name(const CommandManual& command) {
  std::string name = command.name;
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string man_page(const CommandManual& command, std::string_view version,
                     const std::vector<std::string>& see_also) {
  std::string title = man_page_name(command);
  std::ranges::transform(title, title.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  const std::string first_line = command.summary.substr(0, command.summary.find('\n'));
  std::string page = ".TH " + title + " 1 \"\" \"" + std::string(version) + "\"\n";
  page += section("NAME") + plain(man_page_name(command)) + " \\- " + plain(first_line) + "\n";
  page += section("SYNOPSIS") + bold(command.name) +
          plain(synopsis_of(command).substr(command.name.size())) + "\n";
  if (first_line != command.summary) page += section("DESCRIPTION") + plain(command.summary) + "\n";
  page += entries("ARGUMENTS", command.positionals);
  page += entries("OPTIONS", command.options);
  if (!command.commands.empty()) page += section("COMMANDS");
  for (const CommandManual& each : command.commands) {
    page += entry(bold(each.last_name()), each.summary);
  }
  if (!command.closing.empty()) {
    page += section("NOTES") + notes(command.closing);
  }
  if (see_also.empty()) return page;
  page += section("SEE ALSO");
  for (const std::string& name : see_also) {
    page += bold(name) + "(1)" + (name == see_also.back() ? "\n" : ",\n");
  }
  return page;
}

}  // namespace bloomery::cli
