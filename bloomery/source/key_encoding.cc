// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/key_encoding.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <stdexcept>

#include "bloomery/source/normalise.h"
#include "bloomery/text/ascii.h"
#include "bloomery/text/base64.h"
#include "bloomery/text/kryo.h"
#include "bloomery/text/printable.h"
#include "bloomery/text/utf16.h"

namespace bloomery {
namespace {

constexpr std::size_t kIntegerBytes = 8;
constexpr std::size_t kKryoHead = 12;  // a class and a number
constexpr std::uint8_t kNoDigit = 0xff;

using DigitTable = std::array<std::uint8_t, 256>;

constexpr DigitTable hex_digits() {
  DigitTable table{};
  table.fill(kNoDigit);
  for (std::uint8_t i = 0; i < 10; ++i) table['0' + i] = i;
  for (std::uint8_t i = 0; i < 6; ++i) {
    table['a' + i] = table['A' + i] = static_cast<std::uint8_t>(10 + i);
  }
  return table;
}

constexpr DigitTable kHexDigits = hex_digits();

std::uint8_t hex_digit(char c) noexcept {
  return kHexDigits[static_cast<unsigned char>(c)];
}

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  throw std::invalid_argument(printable(text) + " " + why);
}

std::size_t decode_hex(std::string_view text, char* out) {
  constexpr const char* kAllowed = "hexadecimal (an even number of digits 0-9, a-f, A-F)";
  if (text.size() % 2 != 0) {
    refuse(text, std::string("has an odd number of characters, so it is not ") + kAllowed);
  }
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const std::uint8_t high = hex_digit(text[i]);
    const std::uint8_t low = hex_digit(text[i + 1]);
    if ((high | low) == kNoDigit) refuse(text, std::string("is not ") + kAllowed);
    *out++ = static_cast<char>((high << 4) | low);
  }
  return text.size() / 2;
}

// Each key has one spelling.
std::size_t decode_base64(std::string_view text, char* out) {
  constexpr const char* kAllowed =
      "base64 (the alphabet A-Z a-z 0-9 + /, padded with = to a multiple of four characters)";
  const Base64Read read = read_base64(text, out);
  switch (read.fault) {
    case Base64Fault::none:
      break;
    case Base64Fault::length:
      refuse(text, std::string("is cut short, so it is not ") + kAllowed);
    case Base64Fault::character:
      refuse(text, std::string("is not ") + kAllowed);
    case Base64Fault::tail:
      refuse(text, "has bits set after its last byte, so it is not canonical base64");
  }
  return read.byte_count;
}

template <std::integral Integer>
Integer parse_integer(std::string_view text, const char* allowed) {
  Integer value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::result_out_of_range) {
    refuse(text, std::string("is out of range: not ") + allowed);
  }
  if (error != std::errc{} || stop != end) refuse(text, std::string("is not ") + allowed);
  return value;
}

std::uint64_t parse_u64(std::string_view text) {
  return parse_integer<std::uint64_t>(text, "a u64 (decimal digits, at most 18446744073709551615)");
}

std::int64_t parse_i64(std::string_view text) {
  return parse_integer<std::int64_t>(
      text, "an i64 (decimal digits, -9223372036854775808 to 9223372036854775807)");
}

std::int32_t parse_i32(std::string_view text) {
  return parse_integer<std::int32_t>(
      text,
      "an i32 (decimal digits, -2147483648 to 2147483647; a u32 beyond has the bytes of the i32 "
      "that is 4294967296 less)");
}

std::size_t write_little_endian(std::uint64_t value, std::size_t byte_count, char* out) noexcept {
  for (std::size_t i = 0; i < byte_count; ++i) out[i] = static_cast<char>(value >> (8 * i));
  return byte_count;
}

std::size_t decode_utf16(std::string_view text, char* out) {
  std::size_t byte_count = 0;
  for_each_utf16_unit(text, [&](std::uint16_t unit) {
    byte_count += write_little_endian(unit, 2, out + byte_count);
  });
  return byte_count;
}

std::size_t copy(const std::string& key, char* out) {
  return key.copy(out, key.size());
}

// Returns what to say in place of the name of one of Redisson's codecs, with or without its
// package and "Codec", in any case; empty if `word` names none.
std::string codec_advice(std::string_view word) {
  std::string name = ascii_lower(word.substr(word.rfind('.') + 1));
  std::erase_if(name, [](char c) { return c == '-' || c == '_'; });
  const std::size_t suffix = name.find("codec");
  const bool is_called_codec = suffix != std::string::npos;
  name.resize(std::min(suffix, name.size()));
  if (name == "kryo5") {
    return "is written kryo for a String, kryo-i32 for an Integer and kryo-i64 for a Long; other "
           "values are given --as hex, as the program prints their bytes";
  }
  if (is_called_codec && (name == "string" || name == "long")) {
    return "makes the bytes of the text, which are --as text";
  }
  constexpr std::array<std::string_view, 5> kUnknowable{"fst", "jboss", "marshalling",
                                                        "jbossmarshalling", "json"};
  if (!is_called_codec && std::ranges::find(kUnknowable, name) == kUnknowable.end()) return {};
  return "is a codec whose bytes only the program that writes them knows; let that print them, and "
         "give them --as hex";
}

}  // namespace

KeyEncoding parse_key_encoding(std::string_view word) {
  if (const auto found = find_key_encoding(word)) return *found;
  if (const std::string advice = codec_advice(word); !advice.empty()) refuse(word, advice);
  refuse(word, "is no encoding of keys; allowed: " + std::string(kKeyEncodings));
}

std::size_t decoded_byte_limit(KeyEncoding encoding, std::size_t byte_count) noexcept {
  switch (encoding) {
    case KeyEncoding::hex:
      return byte_count / 2;
    case KeyEncoding::base64:
      return byte_count / 4 * 3;
    case KeyEncoding::u64:
    case KeyEncoding::i64:
    case KeyEncoding::i32:
      return kIntegerBytes;
    case KeyEncoding::utf16:
      return 2 * byte_count;  // a byte is at most a unit
    case KeyEncoding::kryo:
      return 3 * byte_count + kKryoHead;  // a unit is at most three
    case KeyEncoding::kryo_i32:
    case KeyEncoding::kryo_i64:
      return kKryoHead;
    case KeyEncoding::text:
    case KeyEncoding::unknown:  // as it is
      break;
  }
  return byte_count;
}

std::size_t decode_key(KeyEncoding encoding, std::string_view text, char* out) {
  switch (encoding) {
    case KeyEncoding::hex:
      return decode_hex(text, out);
    case KeyEncoding::base64:
      return decode_base64(text, out);
    case KeyEncoding::u64:
      return write_little_endian(parse_u64(text), kIntegerBytes, out);
    case KeyEncoding::i64:
      return write_little_endian(static_cast<std::uint64_t>(parse_i64(text)), kIntegerBytes, out);
    case KeyEncoding::i32:
      return write_little_endian(static_cast<std::uint32_t>(parse_i32(text)), 4, out);
    case KeyEncoding::utf16:
      return decode_utf16(text, out);
    case KeyEncoding::kryo:
      return copy(kryo_string(text), out);
    case KeyEncoding::kryo_i32:
      return copy(kryo_integer(parse_i32(text)), out);
    case KeyEncoding::kryo_i64:
      return copy(kryo_long(parse_i64(text)), out);
    case KeyEncoding::text:
    case KeyEncoding::unknown:  // as it is
      break;
  }
  return text.copy(out, text.size());
}

std::string decode_key(KeyEncoding encoding, std::string_view text) {
  std::string key(decoded_byte_limit(encoding, text.size()), '\0');
  key.resize(decode_key(encoding, text, key.data()));
  return key;
}

std::string decode_key(const KeyForm& form, std::string_view text) {
  std::string room;
  return decode_key(form.encoding, normalised(form.normalise, text, room));
}

bool reads_integers(KeyEncoding encoding) noexcept {
  switch (encoding) {
    case KeyEncoding::u64:
    case KeyEncoding::i64:
    case KeyEncoding::i32:
    case KeyEncoding::kryo_i32:
    case KeyEncoding::kryo_i64:
      return true;
    default:
      return false;
  }
}

std::optional<std::string> key_text(KeyEncoding encoding, Key key) {
  if (encoding == KeyEncoding::text) return std::string(key);
  if (key.size() != kIntegerBytes) return std::nullopt;
  std::uint64_t integer = 0;
  for (std::size_t i = kIntegerBytes; i-- > 0;) {
    integer = integer << 8 | static_cast<unsigned char>(key[i]);
  }
  return encoding == KeyEncoding::u64 ? std::to_string(integer)
                                      : std::to_string(static_cast<std::int64_t>(integer));
}

std::string hex_text(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char c : bytes) {
    text += kDigits[static_cast<unsigned char>(c) >> 4];
    text += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

}  // namespace bloomery
