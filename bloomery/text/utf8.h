// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bloomery/hash/key.h"

namespace bloomery {

// The characters of a text, as their numbers: what string hashes of Python run over. Keys are
// UTF-8.
//
// A surrogate that stands alone may be written as the three bytes UTF-8 has no use for (ED A0 80 to
// ED BF BF). Bytes that are not UTF-8 otherwise become U+FFFD, one for each longest beginning of a
// character, as Java's and Python's decoders do.
class Utf8Characters {
 public:
  explicit Utf8Characters(Key text) noexcept
      : next_(reinterpret_cast<const unsigned char*>(text.data())), end_(next_ + text.size()) {}

  // Returns whether there is a character left, which goes to `character`.
  bool next(std::uint32_t& character) noexcept {
    if (next_ == end_) return false;
    character = *next_ < 0x80 ? *next_++ : next_character();
    return true;
  }

 private:
  static constexpr std::uint32_t kReplacement = 0xfffd;

  // The character of several bytes that begins at next_.
  std::uint32_t next_character() noexcept {
    const unsigned char first = *next_++;
    if (first >= 0xc2 && first <= 0xdf) return continued(first & 0x1fU, 1, 0x80, 0xbf);
    if (first == 0xe0) return continued(0, 2, 0xa0, 0xbf);
    if (first > 0xe0 && first <= 0xef) return continued(first & 0x0fU, 2, 0x80, 0xbf);
    if (first == 0xf0) return continued(0, 3, 0x90, 0xbf);
    if (first > 0xf0 && first <= 0xf3) return continued(first & 0x07U, 3, 0x80, 0xbf);
    if (first == 0xf4) return continued(4, 3, 0x80, 0x8f);
    return kReplacement;
  }

  // Returns a character continued by `count` more bytes, the next of which is `lowest` to
  // `highest`.
  std::uint32_t continued(std::uint32_t character, int count, unsigned char lowest,
                          unsigned char highest) noexcept {
    for (; count > 0; --count) {
      if (next_ == end_ || *next_ < lowest || *next_ > highest) return kReplacement;
      character = (character << 6) | (*next_++ & 0x3fU);
      lowest = 0x80;
      highest = 0xbf;
    }
    return character;
  }

  const unsigned char* next_;
  const unsigned char* end_;
};

}  // namespace bloomery
