// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace bloomery {

// Settings that a format's bytes do not hold, by name: FILE?name=value&name=value, or lines of
// FILE.config.
using FormatSettings = std::map<std::string, std::string, std::less<>>;

inline constexpr std::string_view kBytesSayAll = "its bytes say all, there are no settings";

// Reads settings, and refuses those that nobody asked for. Throws std::invalid_argument, naming the
// setting, its value and what is allowed.
class SettingsReader {
 public:
  // `allowed`: names with blanks between; `why_none` is said where there are none.
  SettingsReader(const FormatSettings& settings, std::string_view format, std::string_view allowed,
                 std::string_view why_none = kBytesSayAll);

  std::optional<std::uint64_t> count(std::string_view name) const;  // from 1 to 2^63 - 1
  std::optional<double> rate(std::string_view name) const;          // above 0 and below 1
  std::optional<double> number(std::string_view name) const;        // above 0
  bool flag(std::string_view name) const;                           // 0 or 1; 0 where it is missing
  // One of `words`, which have blanks between; the first where it is missing.
  std::string word(std::string_view name, std::string_view words) const;

  // A count that must be given; throws if it is not.
  std::uint64_t need_count(std::string_view name) const;

  // "guava: NAME=VALUE: WHY"; without the value of a setting that there is not.
  [[noreturn]] void refuse(std::string_view name, const std::string& why) const;
  [[noreturn]] void refuse_missing(const std::string& what) const;

 private:
  const std::string* find(std::string_view name) const;

  const FormatSettings& settings_;
  std::string format_;
  std::string allowed_;
};

// Throws std::invalid_argument, as SettingsReader does, where any is given.
void refuse_settings(const FormatSettings& settings, std::string_view format,
                     std::string_view why_none = kBytesSayAll);

}  // namespace bloomery
