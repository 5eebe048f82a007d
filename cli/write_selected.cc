// SPDX-License-Identifier: Apache-2.0
#include "cli/write_selected.h"

#include <cstddef>

namespace bloomery::cli {

void write_selected(Output& output, std::span<const std::string_view> lines,
                    std::span<const bool> selected, char separator) {
  std::size_t i = 0;
  while (i < lines.size()) {
    if (!selected[i]) {
      ++i;
      continue;
    }
    const char* const begin = lines[i].data();
    const char* end = begin + lines[i].size();
    // A line that begins one byte further has that byte before it, which may be read.
    while (++i < lines.size() && selected[i] && lines[i].data() == end + 1 && *end == separator) {
      end = lines[i].data() + lines[i].size();
    }
    output.write({begin, static_cast<std::size_t>(end - begin)});
    output.write(separator);
  }
}

}  // namespace bloomery::cli
