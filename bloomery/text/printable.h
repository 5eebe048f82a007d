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

// The same as they are, where what they are is plain: control characters alone are escaped.
std::string without_controls(std::string_view bytes);

// One byte of what cannot stand in a text as it is: \n, \t, \", \x1b.
void append_escaped(std::string& text, char byte);

}  // namespace bloomery
