// SPDX-License-Identifier: Apache-2.0
#include "bloomery/text/integer_spelt.h"

#include <charconv>
#include <system_error>

#include "bloomery/text/utf8.h"

namespace bloomery {

std::optional<std::uint64_t> integer_spelt(std::string_view text) noexcept {
  std::int64_t negative = 0;
  std::uint64_t positive = 0;
  const char* const end = text.data() + text.size();
  if (text.starts_with('-')) {
    const auto [stop, error] = std::from_chars(text.data(), end, negative);
    if (error != std::errc() || stop != end) return std::nullopt;
    return static_cast<std::uint64_t>(negative);
  }
  const auto [stop, error] = std::from_chars(text.data(), end, positive);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  return positive;
}

bool may_be_text(std::string_view bytes) noexcept {
  Utf8Characters characters(bytes);
  for (std::uint32_t each = 0; characters.next(each);) {
    if (each < 0x20 || (each >= 0x7f && each < 0xa0) || each == 0xfffd) return false;
  }
  return true;
}

}  // namespace bloomery
