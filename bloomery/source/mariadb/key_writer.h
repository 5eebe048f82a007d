// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include "bloomery/source/key_encoding.h"
#include "bloomery/source/normalise.h"

namespace bloomery::mariadb {

// The text that stands for an integer column's value wherever we print it: ZEROFILL is how MySQL
// prints, not what it stores.
inline std::string_view without_zerofill(std::string_view digits) noexcept {
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  return digits;
}

// Keys of one form out of texts.
class KeyWriter {
 public:
  explicit KeyWriter(const KeyForm& form) noexcept : form_(form) {}

  std::size_t byte_limit(std::size_t text_bytes) const noexcept {
    return decoded_byte_limit(form_.encoding, normalised_byte_limit(form_.normalise, text_bytes));
  }
  // Writes to `out`, which has room for byte_limit; throws std::invalid_argument for a text that
  // spells no such key.
  std::size_t write(std::string_view text, char* out) {
    if (form_ == KeyForm{}) return text.copy(out, text.size());
    return decode_key(form_.encoding, normalised(form_.normalise, text, room_), out);
  }

 private:
  KeyForm form_;
  std::string room_;  // for a text as its normalisation leaves it
};

}  // namespace bloomery::mariadb
