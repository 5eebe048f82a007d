// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "cli/command_manual.h"

namespace bloomery::cli {

// A page for man(1), in the roff of its an(7) macros. `see_also` are the names of other pages,
// without the section.
std::string man_page(const CommandManual& command, std::string_view version,
                     const std::vector<std::string>& see_also);

// "bloomery-load" for "bloomery load".
std::string man_page_name(const CommandManual& command);

}  // namespace bloomery::cli
