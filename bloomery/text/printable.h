// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bloomery {

// Bytes from outside as they may stand in a message: in double quotes, control characters
// and what is not UTF-8 escaped, and cut after `byte_limit` bytes with a note of how long the whole
// is.
std::string printable(std::string_view bytes, std::size_t byte_limit = 60);

// Escapes control characters alone; all other bytes stay.
std::string without_controls(std::string_view bytes);

// Appends one byte as an escape: \n, \t, \", \x1b.
void append_escaped(std::string& text, char byte);

}  // namespace bloomery
