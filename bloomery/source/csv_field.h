// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bloomery {

// Field `number`, from 1, of a record of comma-separated values (RFC 4180): a field may stand in
// double quotes, and then hold delimiters, line ends and, doubled, quotes. It is a part of `record`
// or, where quotes were doubled, in `room`. A carriage return that ends the record is none of it.
// A quote within a field that does not begin with one is a character. Throws std::invalid_argument
// for a record without the field, and for text between a closing quote and the delimiter, of which
// nobody knows what it was meant for.
std::string_view csv_field(std::string_view record, std::string_view delimiter,
                           std::uint32_t number, std::string& room);

}  // namespace bloomery
