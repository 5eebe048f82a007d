// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace bloomery::cli {

struct DemoResult;

// Commands that go on from here, a line each, to be pasted into a shell as they are. The command is
// spelled as in BLOOMERY_COMMAND, where that is set ("./run --").
std::string next_commands(const DemoResult& demo);

// Writes bytes that may not stand unquoted in a location and in a shell as %XX.
std::string percent_encode(std::string_view bytes);

}  // namespace bloomery::cli
