// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <string_view>
#include <system_error>

namespace bloomery::redis {

// A number of a word, with nothing around it.
template <class Number>
bool read_number(std::string_view word, Number& number) {
  const char* const end = word.data() + word.size();
  const auto [read, error] = std::from_chars(word.data(), end, number);
  return error == std::errc() && read == end;
}

}  // namespace bloomery::redis
