// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "cli/output.h"

namespace bloomery::cli {

// Writes the lines that are selected, each with `separator` after it. Neighbours that lie in one
// buffer as they were read, the separator between them, go out as one piece.
void write_selected(Output& output, std::span<const std::string_view> lines,
                    std::span<const bool> selected, char separator);

}  // namespace bloomery::cli
