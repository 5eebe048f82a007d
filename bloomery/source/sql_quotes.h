// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace bloomery {

// A name or a text as SQL wants it, whatever is in it: between two marks, inner ones doubled. Not
// for texts where the server also reads backslashes.
inline std::string in_sql_quotes(std::string_view text, char mark) {
  std::string quoted(1, mark);
  for (const char c : text) {
    if (c == mark) quoted += mark;
    quoted += c;
  }
  return quoted + mark;
}

}  // namespace bloomery
