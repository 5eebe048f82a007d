// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace bloomery::redis {

// A script that is put together of several texts.
template <std::size_t kSize>
struct Script {
  std::array<char, kSize> text{};

  constexpr operator std::string_view() const noexcept { return {text.data(), text.size()}; }
};

template <std::size_t... kSizes>
consteval auto joined(const char (&... parts)[kSizes]) {
  Script<((kSizes - 1) + ...)> whole;
  auto at = whole.text.begin();
  ((at = std::copy_n(parts, kSizes - 1, at)), ...);
  return whole;
}

// expiry_of(key): when the key expires, as PEXPIREAT takes it; nil where it does not, or is not
// there.
inline constexpr char kExpiryOf[] = R"(
local function expiry_of(key)
  local left = redis.call('PTTL', key)
  if left < 0 then return nil end
  local now = redis.call('TIME')
  return string.format('%.0f', now[1] * 1000 + math.floor(now[2] / 1000) + left)
end
)";

}  // namespace bloomery::redis
