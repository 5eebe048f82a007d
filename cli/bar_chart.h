// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/terminal.h"

namespace bloomery::cli {

struct Bar {
  std::string label;
  double value = 0;  // at least 0
  std::string text;  // the value as a person reads it
  Color color = Color::none;
};

// A line a bar, the longest as long as the terminal has room for: "  label  ######  text". In
// blocks of an eighth of a character, or '#' where there is no Unicode. Nothing but a 0 looks like
// a 0.
std::string bar_chart(const std::vector<Bar>& bars, const Terminal& terminal);

}  // namespace bloomery::cli
