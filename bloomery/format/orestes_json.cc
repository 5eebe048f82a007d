// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <charconv>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/format/kinds.h"
#include "bloomery/format/orestes.h"
#include "bloomery/format/redis_bitmap.h"
#include "bloomery/text/base64.h"

namespace bloomery::orestes {
namespace {

constexpr const char* kWhat = "the JSON of an Orestes filter";

// A BitSet ends with its last set bit, so few characters may stand for many bits. Up to this many
// are allocated whatever the characters; more than kBitsPerByte for each byte only where the caller
// says that it is so many.
constexpr std::uint64_t kFreeBits = std::uint64_t{1} << 23;
constexpr std::uint64_t kBitsPerByte = 1024;

// Reads the part of JSON that the object needs: strings of ASCII and whole numbers.
class JsonReader {
 public:
  explicit JsonReader(std::span<const std::byte> bytes)
      : text_(reinterpret_cast<const char*>(bytes.data()), bytes.size()) {}

  [[noreturn]] void refuse(const std::string& field, const std::string& why) const {
    throw FormatError(std::string("not ") + kWhat + ": " + field + " at byte " +
                      std::to_string(at_) + ": " + why);
  }

  void skip_blanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != kNone) ++at_;
  }

  bool take_if(char c) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void take(char c, const std::string& field) {
    if (!take_if(c)) refuse(field, std::string("'") + c + "' is missing");
  }

  std::uint64_t number(const std::string& field, std::uint64_t most) {
    skip_blanks();
    std::uint64_t value = 0;
    const char* const first = text_.data() + at_;
    const auto [stop, error] = std::from_chars(first, text_.data() + text_.size(), value);
    const bool zero_first = stop > first + 1 && *first == '0';
    if (error != std::errc() || zero_first || value == 0 || value > most) {
      refuse(field, "not a whole number from 1 to " + std::to_string(most));
    }
    at_ += static_cast<std::size_t>(stop - first);
    return value;
  }

  std::string string(const std::string& field) {
    take('"', field);
    std::string value;
    for (;;) {
      // Takes all characters up to the next escape or the end at once.
      const std::size_t stop = text_.find_first_of("\"\\", at_);
      if (stop == kNone) refuse(field, "a string without an end");
      value += text_.substr(at_, stop - at_);
      at_ = stop + 1;
      if (text_[stop] == '"') return value;
      value += escaped(field);
    }
  }

  void end() {
    skip_blanks();
    if (at_ != text_.size()) refuse("end", "something follows the object");
  }

 private:
  static constexpr std::size_t kNone = std::string_view::npos;

  // Behind a backslash. Some writers escape '=' and '/'.
  char escaped(const std::string& field) {
    const char kind = at_ < text_.size() ? text_[at_++] : '\0';
    if (kind == '/' || kind == '"' || kind == '\\') return kind;
    unsigned code = 0;
    const std::string_view digits = text_.substr(at_, 4);
    const auto [stop, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (kind != 'u' || error != std::errc() || stop != digits.data() + 4 || code > 0x7f) {
      refuse(field, "an escape that stands for no character of base64");
    }
    at_ += 4;
    return static_cast<char>(code);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

struct Document {
  Geometry geometry;
  std::vector<std::byte> bits;
};

std::vector<std::byte> read_bits(const std::string& text) {
  const auto refuse = [](const std::string& why) {
    throw FormatError(std::string("not ") + kWhat + ": b: " + why);
  };
  std::vector<std::byte> bits(text.size() / 4 * 3);
  const Base64Read read = read_base64(text, reinterpret_cast<char*>(bits.data()));
  switch (read.fault) {
    case Base64Fault::none:
      break;
    case Base64Fault::length:
      refuse(std::to_string(text.size()) + " characters of base64; a multiple of 4");
      break;
    case Base64Fault::character:
      refuse("character " + std::to_string(read.at) + " is not base64 (A-Z a-z 0-9 + /)");
      break;
    case Base64Fault::tail:
      refuse("bits behind the last byte of its base64");
      break;
  }
  bits.resize(read.byte_count);
  return bits;
}

Document read_document(std::span<const std::byte> bytes) {
  JsonReader json(bytes);
  Document document;
  std::optional<std::string> bits;
  json.take('{', "object");
  do {
    const std::string name = json.string("name of a member");
    json.take(':', name);
    if (name == "m" && document.geometry.bit_count == 0) {
      document.geometry.bit_count = json.number(name, 0x7fffffff);
    } else if (name == "h" && document.geometry.probe_count == 0) {
      document.geometry.probe_count = static_cast<std::uint32_t>(json.number(name, 255));
    } else if (name == "b" && !bits) {
      bits = json.string(name);
    } else {
      json.refuse("member", "another one than m, h and b, or one of these again");
    }
  } while (json.take_if(','));
  json.take('}', "object");
  json.end();
  if (document.geometry.bit_count == 0) json.refuse("m", "it is missing");
  if (document.geometry.probe_count == 0) json.refuse("h", "it is missing");
  if (!bits) json.refuse("b", "it is missing");
  document.bits = read_bits(*bits);
  return document;
}

AnyFilter decode_json(std::span<const std::byte> bytes, const FormatSettings& settings) {
  const SettingsReader read(settings, kJsonFormat.name, kJsonFormat.settings);
  const Document document = read_document(bytes);
  const std::uint64_t bit_count = document.geometry.bit_count;
  const auto stated = read.count("m");
  if (stated.value_or(bit_count) != bit_count) {
    read.refuse("m", "the JSON says " + std::to_string(bit_count));
  }
  if (bit_count > kFreeBits && bit_count / kBitsPerByte > document.bits.size() && !stated) {
    throw FormatError(std::string("not ") + kWhat + ": m is " + std::to_string(bit_count) +
                      ", but b has only " + std::to_string(document.bits.size()) +
                      " bytes; where the filter is so empty, say m=" + std::to_string(bit_count));
  }
  return open_bitmap(parameters_of(document.geometry, read), document.bits, kWhat,
                     BitOrder::lsb_first);
}

void encode(const FilterContents& contents, const ByteSink& sink) {
  const auto write_text = [&](const std::string& text) { sink(std::as_bytes(std::span(text))); };
  const Geometry& geometry = contents.parameters.geometry;
  write_text("{\"m\":" + std::to_string(geometry.bit_count) +
             ",\"h\":" + std::to_string(geometry.probe_count) + ",\"b\":\"");
  Base64Writer base64(sink);
  write_bit_set(contents, [&](std::span<const std::byte> piece) { base64.write(piece); });
  base64.finish();
  write_text("\"}");
}

AnyFilter create_json(const FilterOptions& options, const FormatSettings& settings) {
  settings_of_new(settings, kJsonFormat);
  return kFormat.create(options, settings);
}

// m stands in the bytes too, but of a filter that is nearly empty it is only believed twice.
FormatSettings json_settings_of(const FilterContents& contents) {
  FormatSettings settings = kFormat.settings_of(contents);
  for (const char* const name : {"k", "c", "hashmethod"}) settings.erase(name);
  return settings;
}

constexpr std::array kJsonKinds{&kKind};

}  // namespace

const Format kJsonFormat{
    .name = "orestes-json",
    .system = "Orestes-Bloomfilter, Java: its JSON",
    .hash = "murmur3 x86-32, h1 with seed 0, h2 with seed h1",
    .rule = "(h1 + i h2) mod m",
    .limits = "up to 2^31 - 1 bits, 255 probes",
    .warning = "",
    .settings = "m n p",
    .keys = "text",
    .kinds = kJsonKinds,
    .decode = decode_json,
    .create = create_json,
    .encode = encode,
    .settings_of = json_settings_of,
    .advice = nullptr,
};

}  // namespace bloomery::orestes
