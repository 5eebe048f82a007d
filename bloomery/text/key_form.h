// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bloomery {

// How a key is written where people and programs write it, and so which bytes of it a filter knows
// (source/key_encoding.h makes them). Stored in files: numbers are never reused.
enum class KeyEncoding : std::uint8_t {
  text = 0,    // as they are
  hex = 1,     // two digits a byte, either case
  base64 = 2,  // RFC 4648 section 4: the standard alphabet, padded; one spelling for each key
  u64 = 3,     // decimal, 0 to 2^64-1: the key is eight little-endian bytes
  i64 = 4,     // decimal, -2^63 to 2^63-1: eight little-endian bytes, two's complement

  // Forms that other systems hash: Guava's integer and unencoded-chars funnels, Redisson's default
  // codec.
  i32 = 5,       // decimal, -2^31 to 2^31-1: four little-endian bytes
  utf16 = 6,     // UTF-8 text: two little-endian bytes a UTF-16 unit
  kryo = 7,      // UTF-8 text: as Kryo 5 writes a String (text/kryo.h)
  kryo_i32 = 8,  // decimal: as it writes an Integer
  kryo_i64 = 9,  // decimal: as it writes a Long

  // `unknown`: nobody has said it. A program may have inserted texts, integers, or both. Texts are
  // asked as they are, and what spells an integer also as its eight bytes; "absent" only if both
  // say so.
  unknown = 10,
};

// Changes to the text of a key before its encoding reads it, so that keys that a database calls
// equal are one key. Flags; stored in files. Several are done in this order.
enum class Normalise : std::uint8_t {
  none = 0,
  trim = 1,     // blanks, tabs and line ends before and behind it are taken off
  lower = 2,    // A to Z become a to z, and no other character changes
  integer = 4,  // 007, +7 and 7.0 become 7; what is no integer of 64 bits is refused
  url = 8,      // the canonical form of RFC 3986 (text/canonical_url.h)
};

constexpr Normalise operator|(Normalise a, Normalise b) noexcept {
  return static_cast<Normalise>(static_cast<std::uint8_t>(a) | static_cast<std::uint8_t>(b));
}
constexpr bool has(Normalise all, Normalise one) noexcept {
  return (static_cast<std::uint8_t>(all) & static_cast<std::uint8_t>(one)) != 0;
}

// How the keys of a filter were written. Who asks with another form asks for other bytes, and is
// told "absent" of keys that are there: so a filter carries it, from file to file.
struct KeyForm {
  KeyEncoding encoding = KeyEncoding::text;
  Normalise normalise = Normalise::none;

  constexpr bool is_known() const noexcept { return encoding != KeyEncoding::unknown; }

  friend bool operator==(const KeyForm&, const KeyForm&) = default;
};

// The form of a filter whose maker has not said how its keys are written.
inline constexpr KeyForm kUnknownForm{.encoding = KeyEncoding::unknown};

// Returns whether keys of that form are found where an unknown one is asked: by the bytes of a
// text, and by the eight of the integer that it spells.
constexpr bool is_asked_of_unknown(const KeyForm& form) noexcept {
  return form.normalise == Normalise::none &&
         (!form.is_known() || form.encoding == KeyEncoding::text ||
          form.encoding == KeyEncoding::u64 || form.encoding == KeyEncoding::i64);
}

// Returns whether a caller that asked a filter of the first form may go on with one of the second
// in its place: the questions for an unknown form include those for texts.
constexpr bool goes_on_with(const KeyForm& first, const KeyForm& second) noexcept {
  return first == second || (!first.is_known() && second == KeyForm{});
}

// The form of the keys of two merged filters: unknown if one of the two forms is.
constexpr KeyForm form_of_both(const KeyForm& a, const KeyForm& b) noexcept {
  return a.is_known() ? b : a;
}

// The words of all that can be said, with | between.
inline constexpr std::string_view kKeyEncodings =
    "text|hex|base64|u64|i64|i32|utf16|kryo|kryo-i32|kryo-i64";
inline constexpr std::string_view kNormalises = "trim|lower|integer|url";

// "kryo-i32" of kryo_i32. Nothing for a word, or a number, that is none; `unknown` is no word that
// anybody says.
std::optional<KeyEncoding> find_key_encoding(std::string_view word) noexcept;
std::optional<Normalise> find_normalise(std::string_view word) noexcept;
std::string_view key_encoding_name(KeyEncoding encoding) noexcept;

// Why there is no such form, as a sentence; empty where there is one: numbers that mean something,
// and a normalisation that the encoding can be behind. Bytes have none, and numbers no letters.
std::string form_problem(const KeyForm& form);

// The form as the command's options write it: "i64", "text --normalise trim,lower".
std::string form_text(const KeyForm& form);
// The inverse. Nothing for what is no form.
std::optional<KeyForm> read_form_text(std::string_view text);

// A sentence that says which bytes a program gives to a filter of keys of this form.
std::string form_bytes(const KeyForm& form);

}  // namespace bloomery
