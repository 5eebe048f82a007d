// SPDX-License-Identifier: Apache-2.0
#include "bindings/c/filter_info.h"

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>

#include "bloomery/format/kinds.h"
#include "bloomery/place/watermark_text.h"

namespace bloomery::c {
namespace {

class JsonObject {
 public:
  void add(std::string_view name, std::string_view text) {
    begin(name);
    add_string(text);
  }
  void add(std::string_view name, const char* text) { add(name, std::string_view(text)); }
  void add(std::string_view name, bool value) {
    begin(name);
    text_ += value ? "true" : "false";
  }
  template <class N>
  requires std::unsigned_integral<N> || std::floating_point<N>
  void add(std::string_view name, N value) {
    begin(name);
    if constexpr (std::floating_point<N>) {
      if (!std::isfinite(value)) {
        text_ += "null";
        return;
      }
    }
    std::array<char, 40> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    text_.append(digits.data(), end);
  }

  std::string text() const { return text_ + "}"; }

 private:
  void begin(std::string_view name) {
    text_ += text_.size() == 1 ? "" : ", ";
    add_string(name);
    text_ += ": ";
  }
  // Adds a text in quotes. Escapes byte by byte what is not printable ASCII: a file's name may be
  // anything.
  void add_string(std::string_view bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    text_ += '"';
    for (const char c : bytes) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') {
        text_ += '\\';
        text_ += c;
      } else if (byte >= 0x20 && byte < 0x7f) {
        text_ += c;
      } else {
        text_ += "\\u00";
        text_ += kDigits[byte >> 4];
        text_ += kDigits[byte & 15];
      }
    }
    text_ += '"';
  }

  std::string text_ = "{";
};

void add_parameters(JsonObject& json, const FilterParameters& of) {
  const bool is_foreign_kind = is_foreign(of.kind);
  const bool is_secret = of.hash.id() == HashId::secret;
  json.add("kind", kind_of(of.kind).name);
  json.add("keys", form_text(of.keys));
  json.add("false_positive_rate", of.false_positive_rate);
  json.add("probe_count", of.geometry.probe_count);
  json.add("lines_per_key", of.geometry.lines_per_key);
  json.add("hash", any_hash_name(of));
  json.add("secret", is_secret);
  if (!is_secret && !is_foreign_kind) json.add("seed", of.hash.seed());
}

}  // namespace

std::string filter_info(const AnyFilter& filter, const KeyForm& keys) {
  FilterContents contents = filter.contents();
  contents.parameters.keys = keys;
  const std::uint64_t byte_count = 8 * contents.word_count();
  JsonObject json;
  add_parameters(json, contents.parameters);
  json.add("capacity", contents.capacity());
  json.add("bit_count",
           contents.layers.empty() ? contents.parameters.geometry.bit_count : 8 * byte_count);
  json.add("byte_count", byte_count);
  if (!contents.layers.empty()) json.add("layer_count", contents.layers.size());
  json.add("inserted", contents.inserted);
  json.add("predicted_rate", filter.predicted_rate());
  json.add("cardinality", filter.cardinality());
  json.add("fill_ratio", filter.fill_ratio());
  return json.text();
}

std::string place_info(const std::string& location, const PlaceHead& head) {
  JsonObject json;
  json.add("file", location);
  add_parameters(json, head.parameters);
  json.add("capacity", head.parameters.capacity);
  json.add("bit_count", head.parameters.geometry.bit_count);
  json.add("inserted", head.inserted);
  json.add("says_absent", head.no_absent == NoAbsent::none);
  if (head.identity.is_set()) json.add("identity", identity_text(head.identity));
  if (head.watermark) {
    json.add("watermark", head.watermark->position);
    json.add("watermark_source", identity_text(head.watermark->source));
  }
  return json.text();
}

}  // namespace bloomery::c
