// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal_progress.h"

#include <unistd.h>

#include <cstdio>
#include <string_view>

namespace bloomery::cli {

std::optional<Progress> terminal_progress(const std::string& label,
                                          const Progress::Totals& totals) {
  if (isatty(STDERR_FILENO) == 0) return std::nullopt;
  return Progress(label, totals,
                  [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); });
}

}  // namespace bloomery::cli
