// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

namespace bloomery::os {

// True where a path may begin with a letter and a colon.
#if defined(_WIN32)
inline constexpr bool kHasDrives = true;
#else
inline constexpr bool kHasDrives = false;
#endif

// Returns the path that a text in UTF-8 names; where paths are bytes, of any bytes. path::string()
// is the way back.
inline std::filesystem::path path_of(std::string_view text) {
  return std::u8string_view(reinterpret_cast<const char8_t*>(text.data()), text.size());
}

}  // namespace bloomery::os
