// SPDX-License-Identifier: Apache-2.0
#include "cli/json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <type_traits>

#include "cli/short_number.h"

namespace bloomery::cli {

struct Json::Writer {
  using Written = nlohmann::ordered_json;

  static std::string text(const Json& json, int indent) {
    return written(json).dump(indent, ' ', false, Written::error_handler_t::replace);
  }

  static Written written(const Json& json) {
    return std::visit(
        [&](const auto& value) -> Written {
          using Value = std::remove_cvref_t<decltype(value)>;
          if constexpr (std::same_as<Value, Array>) {
            Written array = Written::array();
            for (const Json& each : json.values_) array.push_back(written(each));
            return array;
          } else if constexpr (std::same_as<Value, Object>) {
            Written object = Written::object();
            for (std::size_t i = 0; i < json.names_.size(); ++i) {
              object[json.names_[i]] = written(json.values_[i]);
            }
            return object;
          } else {
            return value;
          }
        },
        json.value_);
  }
};

Json::Json(std::initializer_list<Json> values) : value_(Array{}) {
  const bool is_object = std::ranges::all_of(values, [](const Json& each) {
    return each.is<Array>() && each.size() == 2 && each.values_.front().is<std::string>();
  });
  if (!is_object) {
    values_ = values;
    return;
  }
  value_ = Object{};
  for (const Json& each : values) {
    (*this)[std::get<std::string>(each.values_.front().value_)] = each.values_.back();
  }
}

Json Json::array() {
  Json json;
  json.value_ = Array{};
  return json;
}

Json Json::object() {
  Json json;
  json.value_ = Object{};
  return json;
}

void Json::push_back(Json value) {
  if (is<std::nullptr_t>()) value_ = Array{};
  if (!is<Array>()) throw std::logic_error("push_back to JSON that is no array");
  values_.push_back(std::move(value));
}

Json& Json::operator[](std::string_view name) {
  if (is<std::nullptr_t>()) value_ = Object{};
  if (!is<Object>()) throw std::logic_error("a name in JSON that is no object");
  const auto found = std::ranges::find(names_, name);
  if (found != names_.end()) return values_[static_cast<std::size_t>(found - names_.begin())];
  names_.emplace_back(name);
  return values_.emplace_back();
}

std::string Json::dump() const {
  return Writer::text(*this, -1);
}

std::string Json::dump(std::size_t indent) const {
  return Writer::text(*this, static_cast<int>(indent));
}

std::string Json::for_people() const {
  if (is<std::nullptr_t>()) return "-";
  if (const bool* const value = std::get_if<bool>(&value_)) return *value ? "yes" : "no";
  if (const double* const value = std::get_if<double>(&value_)) return short_number(*value);
  if (const std::string* const text = std::get_if<std::string>(&value_)) return *text;
  return dump();
}

}  // namespace bloomery::cli
