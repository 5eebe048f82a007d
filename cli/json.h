// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace bloomery::cli {

// A JSON value to be written. Objects keep the order in which their names came. Nothing here reads
// JSON. json.cc alone knows the library that writes it, whose templates are compiled once.
class Json {
 public:
  Json() = default;  // null
  Json(std::nullptr_t) {}
  Json(bool value) : value_(value) {}
  Json(double value) : value_(value) {}
  template <std::signed_integral Number>
  Json(Number value) : value_(std::int64_t{value}) {}
  template <std::unsigned_integral Number>
  Json(Number value) : value_(std::uint64_t{value}) {}
  Json(std::string_view text) : value_(std::string(text)) {}
  Json(const std::string& text) : value_(text) {}
  Json(const char* text) : value_(std::string(text)) {}
  template <class Each>
  Json(const std::vector<Each>& values) : value_(Array{}), values_(values.begin(), values.end()) {}
  // An object where each value is a pair that begins with a text; otherwise an array.
  Json(std::initializer_list<Json> values);

  static Json array();
  static Json object();

  // A null becomes an array. Throws std::logic_error for anything else.
  void push_back(Json value);

  // The value of that name, null where there was none; a null becomes an object. The reference is
  // good until the next addition. Throws std::logic_error for anything else.
  Json& operator[](std::string_view name);

  // How many values an array or object has.
  std::size_t size() const noexcept { return values_.size(); }

  // All on one line, or a line for each value with `indent` blanks more at each level. Bytes that
  // are not UTF-8 become U+FFFD; a number that is not finite becomes null.
  std::string dump() const;
  std::string dump(std::size_t indent) const;

  // Returns a single value as a person reads it: "yes", "0.01235", the text itself, "-" for null.
  std::string for_people() const;

 private:
  struct Array {};
  struct Object {};
  struct Writer;

  template <class Type>
  bool is() const noexcept {
    return std::holds_alternative<Type>(value_);
  }

  std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, Array,
               Object>
      value_;
  std::vector<std::string> names_;  // of an object, one for each of the values
  std::vector<Json> values_;        // of an array or object
};

}  // namespace bloomery::cli
