// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bloomery/hash/key.h"
#include "bloomery/text/utf8.h"

namespace bloomery {

// The UTF-16 units of a text: what string hashes of Java and JavaScript run over. Keys are UTF-8.
//
// A surrogate that stands alone may be written as three bytes (utf8.h), so every string of those
// languages is some key's; a pair may be two such triples.
class Utf16Units {
 public:
  explicit Utf16Units(Key text) noexcept : characters_(text) {}

  // Returns whether there is a unit left, which goes to `unit`.
  bool next(std::uint16_t& unit) noexcept {
    if (low_surrogate_ != 0) {
      unit = low_surrogate_;
      low_surrogate_ = 0;
      return true;
    }
    std::uint32_t character = 0;
    if (!characters_.next(character)) return false;
    if (character < 0x10000) {
      unit = static_cast<std::uint16_t>(character);
    } else {
      unit = static_cast<std::uint16_t>(0xd7c0 + (character >> 10));
      low_surrogate_ = static_cast<std::uint16_t>(0xdc00 + (character & 0x3ff));
    }
    return true;
  }

 private:
  Utf8Characters characters_;
  std::uint16_t low_surrogate_ = 0;
};

// Calls visit(unit) for each.
template <class Visit>
void for_each_utf16_unit(Key text, Visit visit) {
  Utf16Units units(text);
  for (std::uint16_t unit; units.next(unit);) visit(unit);
}

}  // namespace bloomery
