#include "cli/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "cli/report.h"

namespace bloomery::cli {
namespace {

// The shortest digits that mean this number again, always with a point or an exponent, so that a
// reader sees that it need not be whole.
std::string real_text(double value) {
  if (!std::isfinite(value)) return "null";
  char buffer[32];
  const auto end =
      std::to_chars(std::begin(buffer), std::end(buffer), value, std::chars_format::scientific).ptr;
  const std::string_view all(buffer, end);
  const std::string sign = all.starts_with('-') ? "-" : "";
  const std::size_t e = all.find('e');
  std::string digits(1, all[sign.size()]);
  if (e > sign.size() + 2) digits += all.substr(sign.size() + 2, e - sign.size() - 2);
  int exponent = 0;
  std::from_chars(buffer + e + (all[e + 1] == '+' ? 2 : 1), end, exponent);

  const int count = static_cast<int>(digits.size());
  const int whole = exponent + 1;  // digits before the point
  if (whole > 15 || whole <= -4) {
    std::string power = std::to_string(std::abs(exponent));
    if (power.size() < 2) power.insert(0, 1, '0');
    if (count > 1) digits.insert(1, 1, '.');
    return sign + digits + (exponent < 0 ? "e-" : "e+") + power;
  }
  if (whole <= 0) return sign + "0." + std::string(static_cast<std::size_t>(-whole), '0') + digits;
  if (whole >= count) {
    return sign + digits + std::string(static_cast<std::size_t>(whole - count), '0') + ".0";
  }
  return sign + digits.insert(static_cast<std::size_t>(whole), 1, '.');
}

// How many bytes at the beginning of `bytes` are one character of UTF-8, or 0; `bad` are then as
// many as could have begun one.
std::size_t character_length(std::string_view bytes, std::size_t& bad) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  bad = 1;
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xc2 && first <= 0xdf   ? 2
                             : first >= 0xe0 && first <= 0xef ? 3
                             : first >= 0xf0 && first <= 0xf4 ? 4
                                                              : 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (i >= bytes.size()) return 0;
    // The first two bytes rule out what is written too long, halves of pairs and beyond U+10FFFF.
    const unsigned char least = i > 1 ? 0x80 : first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    const unsigned char most = i > 1 ? 0xbf : first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (byte(i) < least || byte(i) > most) return 0;
    bad = i + 1;
  }
  return length;
}

void append_quoted(std::string& out, std::string_view text) {
  constexpr std::string_view kEscaped = "\"\\\b\f\n\r\t";
  constexpr std::string_view kEscapes = "\"\\bfnrt";
  constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  while (!text.empty()) {
    std::size_t bad = 0;
    const std::size_t length = character_length(text, bad);
    const char first = text.front();
    if (length == 0) {
      out += "\xef\xbf\xbd";
      text.remove_prefix(bad);
      continue;
    }
    if (const std::size_t at = kEscaped.find(first); at != std::string_view::npos) {
      out += {'\\', kEscapes[at]};
    } else if (length == 1 && static_cast<unsigned char>(first) < 0x20) {
      out += {'\\',
              'u',
              '0',
              '0',
              kHex[static_cast<std::size_t>(first) >> 4],
              kHex[static_cast<std::size_t>(first) & 15]};
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  out += '"';
}

}  // namespace

class Json::Writer {
 public:
  explicit Writer(std::size_t indent, bool has_lines) : indent_(indent), has_lines_(has_lines) {}

  void write(const Json& json) {
    if (json.type_ == Type::null) {
      out_ += "null";
    } else if (json.type_ == Type::text) {
      append_quoted(out_, json.text_);
    } else if (json.type_ == Type::array || json.type_ == Type::object) {
      write_values(json);
    } else {
      out_ += json.text_;
    }
  }

  std::string take() && { return std::move(out_); }

 private:
  void write_values(const Json& json) {
    const bool is_object = json.type_ == Type::object;
    out_ += is_object ? '{' : '[';
    ++depth_;
    for (std::size_t i = 0; i < json.values_.size(); ++i) {
      if (i > 0) out_ += ',';
      break_line();
      if (is_object) {
        append_quoted(out_, json.names_[i]);
        out_ += has_lines_ ? ": " : ":";
      }
      write(json.values_[i]);
    }
    --depth_;
    if (!json.values_.empty()) break_line();
    out_ += is_object ? '}' : ']';
  }

  void break_line() {
    if (!has_lines_) return;
    out_ += '\n';
    out_.append(depth_ * indent_, ' ');
  }

  std::string out_;
  std::size_t depth_ = 0;
  std::size_t indent_;
  bool has_lines_;
};

Json::Json(bool value) : type_(Type::boolean), text_(value ? "true" : "false") {}

Json::Json(double value) : type_(Type::real), real_(value), text_(real_text(value)) {}

Json::Json(std::initializer_list<Json> values) : type_(Type::array) {
  const bool is_object = std::ranges::all_of(values, [](const Json& each) {
    return each.type_ == Type::array && each.values_.size() == 2 &&
           each.values_.front().type_ == Type::text;
  });
  if (!is_object) {
    values_ = values;
    return;
  }
  type_ = Type::object;
  for (const Json& each : values) (*this)[each.values_.front().text_] = each.values_.back();
}

Json Json::array() {
  Json json;
  json.type_ = Type::array;
  return json;
}

Json Json::object() {
  Json json;
  json.type_ = Type::object;
  return json;
}

void Json::push_back(Json value) {
  if (type_ == Type::null) type_ = Type::array;
  if (type_ != Type::array) throw std::logic_error("push_back to JSON that is no array");
  values_.push_back(std::move(value));
}

Json& Json::operator[](std::string_view name) {
  if (type_ == Type::null) type_ = Type::object;
  if (type_ != Type::object) throw std::logic_error("a name in JSON that is no object");
  const auto found = std::ranges::find(names_, name);
  if (found != names_.end()) return values_[static_cast<std::size_t>(found - names_.begin())];
  names_.emplace_back(name);
  return values_.emplace_back();
}

std::string Json::dump() const {
  Writer writer(0, false);
  writer.write(*this);
  return std::move(writer).take();
}

std::string Json::dump(std::size_t indent) const {
  Writer writer(indent, true);
  writer.write(*this);
  return std::move(writer).take();
}

std::string Json::for_people() const {
  switch (type_) {
    case Type::null:
      return "-";
    case Type::boolean:
      return text_ == "true" ? "yes" : "no";
    case Type::real:
      return short_number(real_);
    case Type::text:
      return text_;
    case Type::number:
    case Type::array:
    case Type::object:
      break;
  }
  return dump();
}

}  // namespace bloomery::cli
