// SPDX-License-Identifier: Apache-2.0
#include "bloomery/text/percent.h"

#include <charconv>
#include <stdexcept>

namespace bloomery {

std::string percent_decode(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const std::string_view digits = text.substr(i + 1, 2);
    unsigned char byte = 0;
    const char* const end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, byte, 16);
    if (digits.size() != 2 || read.ec != std::errc() || read.ptr != end) {
      throw std::invalid_argument("no two hexadecimal digits after the % at character " +
                                  std::to_string(i + 1) + " (% itself is %25)");
    }
    decoded += static_cast<char>(byte);
    i += 2;
  }
  return decoded;
}

}  // namespace bloomery
