#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bloomery {

// Bytes from outside as they may stand in a message: in double quotes, control characters
// and what is not UTF-8 escaped, and cut after `byte_limit` bytes with a note of how long the whole
// is.
std::string printable(std::string_view bytes, std::size_t byte_limit = 60);

// One byte of what cannot stand in a text as it is: \n, \t, \", \x1b.
void append_escaped(std::string& text, char byte);

}  // namespace bloomery
