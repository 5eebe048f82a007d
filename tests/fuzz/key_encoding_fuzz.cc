// SPDX-License-Identifier: Apache-2.0
// Any text is a key or is refused; whatever is a key is spelt again as it came.

#include "bloomery/source/key_encoding.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

#include "fuzz_target.h"

namespace bloomery {
namespace {

std::string to_hex(std::string_view key) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : key) {
    text += kDigits[static_cast<unsigned char>(c) >> 4];
    text += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

std::string to_base64(std::string_view key) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < key.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t j = i; j < i + 3; ++j) {
      bits = (bits << 8) | (j < key.size() ? static_cast<unsigned char>(key[j]) : 0U);
    }
    for (const int shift : {18, 12, 6, 0}) text += kDigits[(bits >> shift) & 63];
  }
  const std::size_t padding = (3 - key.size() % 3) % 3;
  text.replace(text.size() - padding, padding, padding, '=');
  return text;
}

std::uint64_t integer_of(std::string_view key) {
  std::uint64_t integer = 0;
  for (std::size_t i = 0; i < key.size(); ++i) {
    integer |= std::uint64_t{static_cast<unsigned char>(key[i])} << (8 * i);
  }
  return integer;
}

// Without the zeros in front, and without the sign of minus zero.
std::string plain_decimal(std::string text) {
  const bool negative = text[0] == '-';
  text.erase(0, negative ? 1 : 0);
  text.erase(0, std::min(text.find_first_not_of('0'), text.size() - 1));
  return negative && text != "0" ? "-" + text : text;
}

std::string spell(KeyEncoding encoding, std::string_view key) {
  switch (encoding) {
    case KeyEncoding::hex:
      return to_hex(key);
    case KeyEncoding::base64:
      return to_base64(key);
    case KeyEncoding::u64:
      return std::to_string(integer_of(key));
    case KeyEncoding::i64:
      return std::to_string(static_cast<std::int64_t>(integer_of(key)));
    case KeyEncoding::i32:
      return std::to_string(static_cast<std::int32_t>(integer_of(key)));
    default:
      break;
  }
  return std::string(key);
}

std::string normal(KeyEncoding encoding, std::string text) {
  const auto lower = [](unsigned char c) { return static_cast<char>(std::tolower(c)); };
  if (encoding == KeyEncoding::hex) std::transform(text.begin(), text.end(), text.begin(), lower);
  const bool is_integer =
      encoding == KeyEncoding::u64 || encoding == KeyEncoding::i64 || encoding == KeyEncoding::i32;
  return is_integer ? plain_decimal(text) : text;
}

}  // namespace
}  // namespace bloomery

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bloomery;
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const auto encoding :
       {KeyEncoding::text, KeyEncoding::hex, KeyEncoding::base64, KeyEncoding::u64,
        KeyEncoding::i64, KeyEncoding::i32, KeyEncoding::utf16, KeyEncoding::kryo,
        KeyEncoding::kryo_i32, KeyEncoding::kryo_i64}) {
    // A key of one of the other encodings has more than one spelling, so only its length is known.
    const bool one_spelling = encoding <= KeyEncoding::i32;
    try {
      const std::string key = decode_key(encoding, text);
      promise(key.size() <= decoded_byte_limit(encoding, size));
      promise(!one_spelling || spell(encoding, key) == normal(encoding, text));
    } catch (const std::invalid_argument&) {
      promise(encoding != KeyEncoding::text && encoding != KeyEncoding::utf16 &&
              encoding != KeyEncoding::kryo);
    }
  }
  return 0;
}
