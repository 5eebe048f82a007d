#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bloomery {

// How the bytes of a key are written in a file or a column.
enum class KeyEncoding : std::uint8_t {
  text,    // as they are
  hex,     // two digits a byte, either case
  base64,  // RFC 4648 section 4: the standard alphabet, padded; one spelling for each key
  u64,     // decimal, 0 to 2^64-1: the key is eight little-endian bytes
  i64,     // decimal, -2^63 to 2^63-1: eight little-endian bytes, two's complement

  // What other systems hash: Guava's integer and unencoded-chars funnels, Redisson's default codec.
  i32,       // decimal, -2^31 to 2^31-1: four little-endian bytes
  utf16,     // UTF-8 text: two little-endian bytes a UTF-16 unit
  kryo,      // UTF-8 text: as Kryo 5 writes a String (format/kryo.h)
  kryo_i32,  // decimal: as it writes an Integer
  kryo_i64,  // decimal: as it writes a Long
};

// The words of all of them, with | between.
inline constexpr std::string_view kKeyEncodings =
    "text|hex|base64|u64|i64|i32|utf16|kryo|kryo-i32|kryo-i64";

// "hex" is KeyEncoding::hex, and so on. Throws std::invalid_argument for any other word.
KeyEncoding parse_key_encoding(std::string_view word);

// The most bytes that decode_key may write for `byte_count` bytes of text.
std::size_t decoded_byte_limit(KeyEncoding encoding, std::size_t byte_count) noexcept;

// Writes the key that `text` spells to `out`, which has room for decoded_byte_limit, and returns
// its length. Throws std::invalid_argument that says what is wrong with the text and what is
// allowed.
std::size_t decode_key(KeyEncoding encoding, std::string_view text, char* out);

// The same for a single key.
std::string decode_key(KeyEncoding encoding, std::string_view text);

// An integer key as filters know it: eight little-endian bytes at `out`.
void write_integer_key(std::uint64_t integer, char* out) noexcept;

}  // namespace bloomery
