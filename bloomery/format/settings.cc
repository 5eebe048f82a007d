// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/settings.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace bloomery {
namespace {

bool has_word(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const std::size_t blank = words.find(' ');
    if (words.substr(0, blank) == word) return true;
    words.remove_prefix(blank == std::string_view::npos ? words.size() : blank + 1);
  }
  return false;
}

template <class T>
bool parse(const std::string& text, T& value) {
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && rest == end && !text.empty();
}

}  // namespace

SettingsReader::SettingsReader(const FormatSettings& settings, std::string_view format,
                               std::string_view allowed, std::string_view why_none)
    : settings_(settings), format_(format), allowed_(allowed) {
  for (const auto& each : settings) {
    if (has_word(allowed, each.first)) continue;
    refuse(each.first,
           allowed.empty() ? std::string(why_none) : "no such setting; there are: " + allowed_);
  }
}

void refuse_settings(const FormatSettings& settings, std::string_view format,
                     std::string_view why_none) {
  const SettingsReader none_allowed(settings, format, "", why_none);
}

const std::string* SettingsReader::find(std::string_view name) const {
  const auto found = settings_.find(name);
  return found == settings_.end() ? nullptr : &found->second;
}

std::optional<std::uint64_t> SettingsReader::count(std::string_view name) const {
  const std::string* const text = find(name);
  if (text == nullptr) return std::nullopt;
  std::uint64_t value = 0;
  if (!parse(*text, value) || value == 0 || value > std::numeric_limits<std::int64_t>::max()) {
    refuse(name, "not a whole number from 1 to 2^63 - 1");
  }
  return value;
}

std::optional<double> SettingsReader::rate(std::string_view name) const {
  const std::string* const text = find(name);
  if (text == nullptr) return std::nullopt;
  double value = 0;
  if (!parse(*text, value) || !(value > 0 && value < 1)) {
    refuse(name, "not a rate above 0 and below 1, such as 0.01");
  }
  return value;
}

std::optional<double> SettingsReader::number(std::string_view name) const {
  const std::string* const text = find(name);
  if (text == nullptr) return std::nullopt;
  double value = 0;
  if (!parse(*text, value) || !(value > 0 && std::isfinite(value))) {
    refuse(name, "not a number above 0, such as 9.9");
  }
  return value;
}

bool SettingsReader::flag(std::string_view name) const {
  const std::string* const text = find(name);
  if (text == nullptr || *text == "0") return false;
  if (*text != "1") refuse(name, "neither 0 nor 1");
  return true;
}

std::string SettingsReader::word(std::string_view name, std::string_view words) const {
  const std::string* const text = find(name);
  if (text == nullptr) return std::string(words.substr(0, words.find(' ')));
  if (!has_word(words, *text)) refuse(name, "not one of: " + std::string(words));
  return *text;
}

std::uint64_t SettingsReader::need_count(std::string_view name) const {
  const auto value = count(name);
  if (!value) refuse_missing(std::string(name));
  return *value;
}

void SettingsReader::refuse(std::string_view name, const std::string& why) const {
  // The value of a name that this format does not know is not shown: in another program it may be a
  // password.
  const bool is_known = has_word(allowed_, name);
  const std::string* const text = is_known ? find(name) : nullptr;
  throw std::invalid_argument(format_ + ": " + std::string(name) + (text ? "=" + *text : "") +
                              ": " + why);
}

void SettingsReader::refuse_missing(const std::string& what) const {
  throw std::invalid_argument(
      format_ + ": the bytes do not say " + what +
      "; give it behind the location, ?name=value&..., or of a file in FILE.config (settings: " +
      allowed_ + ")");
}

}  // namespace bloomery
