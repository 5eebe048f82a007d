// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "bloomery/open/place_location.h"
#include "cli/command_line.h"

namespace bloomery::cli {

// --yes: do not ask.
void add_yes(Command command, bool& yes);

// Asks at the terminal whether what cannot be undone is meant: "QUESTION PLACE? [y/N]". Throws
// std::invalid_argument where nothing is there, and where nobody can be asked.
bool is_meant(const PlaceLocation& place, std::string_view question, bool yes);

}  // namespace bloomery::cli
