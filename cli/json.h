#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace bloomery::cli {

// A JSON value to be written. Objects keep the order in which their names came. Nothing here reads
// JSON.
class Json {
 public:
  Json() = default;  // null
  Json(std::nullptr_t) {}
  Json(bool value);
  Json(double value);
  template <std::signed_integral Number>
  Json(Number value) : type_(Type::number), text_(std::to_string(std::int64_t{value})) {}
  template <std::unsigned_integral Number>
  Json(Number value) : type_(Type::number), text_(std::to_string(std::uint64_t{value})) {}
  Json(std::string_view text) : type_(Type::text), text_(text) {}
  Json(const std::string& text) : type_(Type::text), text_(text) {}
  Json(const char* text) : type_(Type::text), text_(text) {}
  template <class Each>
  Json(const std::vector<Each>& values)
      : type_(Type::array), values_(values.begin(), values.end()) {}
  // An object where each value is a pair that begins with a text; otherwise an array.
  Json(std::initializer_list<Json> values);

  static Json array();
  static Json object();

  // A null becomes an array. Throws std::logic_error for anything else.
  void push_back(Json value);

  // The value of that name, null where there was none; a null becomes an object. The reference is
  // good until the next addition. Throws std::logic_error for anything else.
  Json& operator[](std::string_view name);

  // Of an array or object.
  std::size_t size() const noexcept { return values_.size(); }

  // All on one line, or a line for each value with `indent` blanks more at each level. Bytes that
  // are not UTF-8 become U+FFFD; a number that is not finite becomes null.
  std::string dump() const;
  std::string dump(std::size_t indent) const;

  // As a person reads a single value: "yes", "0.01235", the text itself, "-" for null.
  std::string for_people() const;

 private:
  enum class Type { null, boolean, number, real, text, array, object };
  class Writer;

  Type type_ = Type::null;
  double real_ = 0;
  std::string text_;                // of a text its bytes; of other single values the JSON
  std::vector<std::string> names_;  // of an object, one for each of the values
  std::vector<Json> values_;
};

}  // namespace bloomery::cli
