// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace bloomery {

// Text with its %XX as bytes, as in the locations of databases and servers. Throws
// std::invalid_argument on a % without two hexadecimal digits.
std::string percent_decode(std::string_view text);

}  // namespace bloomery
