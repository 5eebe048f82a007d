// SPDX-License-Identifier: Apache-2.0
#include "bloomery/text/printable.h"

#include <algorithm>

namespace bloomery {
namespace {

// Length of the well-formed UTF-8 character of two bytes or more at the front of `bytes`; 0 where
// there is none, or a control character.
std::size_t utf8_length(std::string_view bytes) noexcept {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  std::size_t length = 0;
  if (at(0) >= 0xc2 && at(0) <= 0xdf) length = 2;
  if (at(0) >= 0xe0 && at(0) <= 0xef) length = 3;
  if (at(0) >= 0xf0 && at(0) <= 0xf4) length = 4;
  if (length == 0 || length > bytes.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xc0) != 0x80) return 0;
  }
  const bool is_control = at(0) == 0xc2 && at(1) < 0xa0;
  const bool is_overlong = (at(0) == 0xe0 && at(1) < 0xa0) || (at(0) == 0xf0 && at(1) < 0x90);
  const bool is_no_character = (at(0) == 0xed && at(1) > 0x9f) || (at(0) == 0xf4 && at(1) > 0x8f);
  return is_control || is_overlong || is_no_character ? 0 : length;
}

}  // namespace

void append_escaped(std::string& text, char byte) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto value = static_cast<unsigned char>(byte);
  switch (byte) {
    case '\n':
      text += "\\n";
      return;
    case '\r':
      text += "\\r";
      return;
    case '\t':
      text += "\\t";
      return;
    case '"':
    case '\\':
      text += '\\';
      text += byte;
      return;
    default:
      break;
  }
  if (value >= 0x20 && value < 0x7f) {
    text += byte;
    return;
  }
  text += "\\x";
  text += kDigits[value >> 4];
  text += kDigits[value & 15];
}

std::string printable(std::string_view bytes, std::size_t byte_limit) {
  std::string text = "\"";
  std::string_view rest = bytes.substr(0, byte_limit);
  while (!rest.empty()) {
    const std::size_t length = utf8_length(rest);
    if (length > 0) {
      text += rest.substr(0, length);
    } else {
      append_escaped(text, rest[0]);
    }
    rest.remove_prefix(std::max<std::size_t>(length, 1));
  }
  text += '"';
  if (bytes.size() > byte_limit) text += "... (" + std::to_string(bytes.size()) + " bytes)";
  return text;
}

std::string without_controls(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    if (value < 0x20 || value == 0x7f) {
      append_escaped(text, byte);
    } else {
      text += byte;
    }
  }
  return text;
}

}  // namespace bloomery
