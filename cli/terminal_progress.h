// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "bloomery/source/progress.h"

namespace bloomery::cli {

// Progress on standard error, or nothing where that is no terminal.
std::optional<Progress> terminal_progress(const std::string& label, const Progress::Totals& totals);

}  // namespace bloomery::cli
