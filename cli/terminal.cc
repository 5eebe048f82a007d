// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>

namespace bloomery::cli {
namespace {

constexpr std::size_t kNarrowest = 40;
constexpr std::size_t kWidest = 100;  // longer lines are hard to read

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::size_t columns() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const std::string_view text = variable("COLUMNS");
  std::size_t count = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  return error == std::errc() && rest == text.data() + text.size() ? count : 80;
}

// The variables in the order in which POSIX asks them. Not setlocale(): a terminal shows UTF-8
// whether or not this machine has installed the locale.
bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string value(variable(name));
    if (value.empty()) continue;
    std::ranges::transform(value, value.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

std::string_view escape_of(Color color) {
  switch (color) {
    case Color::bold:
      return "\x1b[1m";
    case Color::red:
      return "\x1b[31m";
    case Color::green:
      return "\x1b[32m";
    case Color::none:
      break;
  }
  return "";
}

}  // namespace

Terminal Terminal::of_standard_output() {
  const bool is_terminal = isatty(STDOUT_FILENO) != 0;
  return {.width = std::clamp(columns(), kNarrowest, kWidest),
          .has_unicode = locale_is_utf8(),
          .has_color = is_terminal && variable("NO_COLOR").empty() && variable("TERM") != "dumb"};
}

std::string colored(std::string_view text, Color color, const Terminal& terminal) {
  if (!terminal.has_color || color == Color::none || text.empty()) return std::string(text);
  return std::string(escape_of(color)) + std::string(text) + "\x1b[0m";
}

std::string wrapped(std::string_view first, std::string_view text, const Terminal& terminal) {
  const std::string indent(first.size(), ' ');
  std::string lines;
  std::string line(first);
  bool line_has_word = false;
  const auto end_line = [&] {
    line.erase(line.find_last_not_of(' ') + 1);
    lines += line + '\n';
    line = indent;
    line_has_word = false;
  };
  while (!text.empty()) {
    const std::size_t length = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, length);
    if (line_has_word && line.size() + 1 + word.size() > terminal.width) end_line();
    if (line_has_word) line += ' ';
    line += word;
    line_has_word = true;
    if (length < text.size() && text[length] == '\n') end_line();
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  if (line_has_word) end_line();
  return lines;
}

std::string titled(std::string_view name, std::string_view text, const Terminal& terminal) {
  constexpr std::size_t kMargin = 10;
  std::string first(name);
  first.resize(kMargin, ' ');
  return colored(name, Color::bold, terminal) + wrapped(first, text, terminal).substr(name.size());
}

}  // namespace bloomery::cli
