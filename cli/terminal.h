// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bloomery::cli {

// Terminal says what standard output can show.
struct Terminal {
  std::size_t width = 80;    // columns, as far as lines should use them
  bool has_unicode = false;  // by the locale of the environment
  bool has_color = false;    // a terminal, no NO_COLOR, and not a dumb one

  static Terminal of_standard_output();
};

enum class Color { none, bold, red, green };

// The text between the escape sequences of the color, where there are any.
std::string colored(std::string_view text, Color color, const Terminal& terminal);

// Breaks text at blanks into lines of at most the terminal's width. The first begins with `first`,
// the others with as many blanks; a line end in the text stays.
std::string wrapped(std::string_view first, std::string_view text, const Terminal& terminal);

// A paragraph with its name, of less than ten letters, in the margin.
std::string titled(std::string_view name, std::string_view text, const Terminal& terminal);

}  // namespace bloomery::cli
