// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

// Vectors that other systems' own programs wrote: golden/foreign/*.json, as they were recorded.
namespace bloomery::golden {

// Read once and kept, so that a loop may run over part of it. The name comes by value, as g++ 14
// takes what is returned for a part of it otherwise.
inline const nlohmann::json& read(std::string_view name) {
  static std::map<std::string, nlohmann::json> files;
  const std::string file_name(name);
  auto& file = files[file_name];
  if (file.is_null()) file = nlohmann::json::parse(std::ifstream("golden/foreign/" + file_name));
  return file;
}

inline std::uint64_t number_of_hex(const std::string& digits) {
  return std::stoull(digits, nullptr, 16);
}

inline std::string bytes_of_hex(const std::string& digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

inline std::string bytes_of_base64(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char digit : text) {
    if (digit == '=') break;
    const std::size_t value = kDigits.find(digit);
    if (value == std::string_view::npos) throw std::invalid_argument("not base64");
    bits = (bits << 6) | static_cast<std::uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>((bits >> count) & 0xff);
  }
  return bytes;
}

}  // namespace bloomery::golden
