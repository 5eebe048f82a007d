// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "bloomery/hash/key.h"
#include "bloomery/text/integer_spelt.h"
#include "bloomery/text/key_form.h"

namespace bloomery {

// "hex" is KeyEncoding::hex, and so on. Throws std::invalid_argument for any other word.
KeyEncoding parse_key_encoding(std::string_view word);

// The most bytes that decode_key may write for `byte_count` bytes of text.
std::size_t decoded_byte_limit(KeyEncoding encoding, std::size_t byte_count) noexcept;

// Writes the key that `text` spells to `out`, which has room for decoded_byte_limit, and returns
// its length. Throws std::invalid_argument that says what is wrong with the text and what is
// allowed.
std::size_t decode_key(KeyEncoding encoding, std::string_view text, char* out);

// Decodes a single key.
std::string decode_key(KeyEncoding encoding, std::string_view text);
// Decodes a single key after its normalisation.
std::string decode_key(const KeyForm& form, std::string_view text);

// Returns whether the keys of the encoding are spelled as integers.
bool reads_integers(KeyEncoding encoding) noexcept;

// The text that spells a key of text, u64 or i64; none where no text does.
std::optional<std::string> key_text(KeyEncoding encoding, Key key);

// Two lower-case digits a byte.
std::string hex_text(std::string_view bytes);

// An integer key as filters know it: eight little-endian bytes at `out`.
inline void write_integer_key(std::uint64_t integer, char* out) noexcept {
  static_assert(std::endian::native == std::endian::little);
  std::memcpy(out, &integer, sizeof integer);
}

}  // namespace bloomery
