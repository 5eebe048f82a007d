// SPDX-License-Identifier: Apache-2.0
#include "bloomery/text/key_form.h"

#include <algorithm>
#include <array>

namespace bloomery {
namespace {

struct EncodingName {
  KeyEncoding encoding;
  std::string_view name;
  std::string_view bytes;  // what the key is
};

constexpr std::array kEncodings{
    EncodingName{KeyEncoding::text, "text", "the bytes of the text as they are"},
    EncodingName{KeyEncoding::hex, "hex", "the bytes that the hexadecimal digits stand for"},
    EncodingName{KeyEncoding::base64, "base64", "the bytes that the base64 stands for"},
    EncodingName{KeyEncoding::u64, "u64",
                 "the number as eight little-endian bytes: 42 is 2a 00 00 00 00 00 00 00"},
    EncodingName{KeyEncoding::i64, "i64",
                 "the number as eight little-endian bytes, two's complement: -2 is fe ff ff ff ff "
                 "ff ff ff"},
    EncodingName{KeyEncoding::i32, "i32",
                 "the number as four little-endian bytes, two's complement: -2 is fe ff ff ff"},
    EncodingName{KeyEncoding::utf16, "utf16",
                 "the text in UTF-16, two little-endian bytes a unit: ab is 61 00 62 00"},
    EncodingName{KeyEncoding::kryo, "kryo",
                 "the text as Kryo 5 writes a String, which is Redisson's default codec"},
    EncodingName{KeyEncoding::kryo_i32, "kryo-i32", "the number as Kryo 5 writes an Integer"},
    EncodingName{KeyEncoding::kryo_i64, "kryo-i64", "the number as Kryo 5 writes a Long"},
    EncodingName{KeyEncoding::unknown, "unknown",
                 "what the program that filled the filter gave it: nobody has said what"},
};

struct NormaliseName {
  Normalise normalise;
  std::string_view name;
};

constexpr std::array kNormaliseNames{
    NormaliseName{Normalise::trim, "trim"},
    NormaliseName{Normalise::lower, "lower"},
    NormaliseName{Normalise::integer, "integer"},
    NormaliseName{Normalise::url, "url"},
};

constexpr auto kAll = static_cast<std::uint8_t>(Normalise::trim | Normalise::lower |
                                                Normalise::integer | Normalise::url);

const EncodingName* name_of(KeyEncoding encoding) noexcept {
  const auto* const found = std::ranges::find(kEncodings, encoding, &EncodingName::encoding);
  return found == kEncodings.end() ? nullptr : found;
}

bool is_words(KeyEncoding encoding) noexcept {
  return encoding == KeyEncoding::text || encoding == KeyEncoding::utf16 ||
         encoding == KeyEncoding::kryo;
}

bool is_bytes(KeyEncoding encoding) noexcept {
  return encoding == KeyEncoding::hex || encoding == KeyEncoding::base64;
}

std::string names_of(Normalise normalise) {
  std::string names;
  for (const NormaliseName& each : kNormaliseNames) {
    if (!has(normalise, each.normalise)) continue;
    names += (names.empty() ? "" : ",") + std::string(each.name);
  }
  return names;
}

}  // namespace

std::optional<KeyEncoding> find_key_encoding(std::string_view word) noexcept {
  const auto* const found = std::ranges::find(kEncodings, word, &EncodingName::name);
  if (found == kEncodings.end() || found->encoding == KeyEncoding::unknown) return std::nullopt;
  return found->encoding;
}

std::optional<Normalise> find_normalise(std::string_view word) noexcept {
  const auto* const found = std::ranges::find(kNormaliseNames, word, &NormaliseName::name);
  if (found == kNormaliseNames.end()) return std::nullopt;
  return found->normalise;
}

std::string_view key_encoding_name(KeyEncoding encoding) noexcept {
  const EncodingName* const found = name_of(encoding);
  return found == nullptr ? std::string_view("unknown") : found->name;
}

std::string form_problem(const KeyForm& form) {
  const auto flags = static_cast<std::uint8_t>(form.normalise);
  if (name_of(form.encoding) == nullptr) {
    return "unknown encoding " + std::to_string(static_cast<int>(form.encoding)) +
           " of keys; from 0 to " + std::to_string(kEncodings.size() - 1);
  }
  if ((flags & ~kAll) != 0) {
    return "unknown normalisation " + std::to_string(flags) + " of keys; from 0 to " +
           std::to_string(kAll);
  }
  const std::string name(key_encoding_name(form.encoding));
  if (flags != 0 && !form.is_known()) return "keys of unknown form are not normalised";
  if (flags != 0 && is_bytes(form.encoding)) {
    return "keys that are " + name + " spell bytes, which are not normalised";
  }
  if (has(form.normalise, Normalise::lower) && !is_words(form.encoding)) {
    return "keys that are " + name + " have no letters to make lower";
  }
  if (has(form.normalise, Normalise::lower) && has(form.normalise, Normalise::integer)) {
    return "lower and integer are for different keys: words and numbers";
  }
  if (has(form.normalise, Normalise::url) && !is_words(form.encoding)) {
    return "keys that are " + name + " are no URLs";
  }
  if (has(form.normalise, Normalise::url) &&
      has(form.normalise, Normalise::lower | Normalise::integer)) {
    return "url says of each letter itself whether its case counts, and goes with trim alone";
  }
  return {};
}

std::string form_text(const KeyForm& form) {
  std::string text(key_encoding_name(form.encoding));
  if (form.normalise != Normalise::none) text += " --normalise " + names_of(form.normalise);
  return text;
}

std::optional<KeyForm> read_form_text(std::string_view text) {
  constexpr std::string_view kOption = " --normalise ";
  const std::size_t end = std::min(text.find(kOption), text.size());
  if (text == key_encoding_name(KeyEncoding::unknown)) return kUnknownForm;
  const auto encoding = find_key_encoding(text.substr(0, end));
  if (!encoding) return std::nullopt;
  KeyForm form{.encoding = *encoding};
  text.remove_prefix(std::min(end + kOption.size(), text.size()));
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    const auto each = find_normalise(word);
    if (!each) return std::nullopt;
    form.normalise = form.normalise | *each;
  }
  if (!form_problem(form).empty()) return std::nullopt;
  return form;
}

std::string form_bytes(const KeyForm& form) {
  const EncodingName* const found = name_of(form.encoding);
  std::string text(found == nullptr ? std::string_view("unknown") : found->bytes);
  if (form.normalise != Normalise::none) {
    text += ", after " + names_of(form.normalise) + " of the text";
  }
  return text;
}

}  // namespace bloomery
