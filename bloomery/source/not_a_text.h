// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bloomery {

// The number of first bytes that are looked at.
inline constexpr std::size_t kTextLookedAt = std::size_t{8} * 1024;

// Says why bytes are no text of records that `separator` ends, with the way that works; empty where
// they may be one. Knows compressed files that are not read, databases, tables, filters and
// archives by their first bytes, and refuses a NUL among the first kTextLookedAt unless NULs end
// the records. `bytes` stand at `offset` of the text; where that is not 0, only NULs are looked
// for.
std::string why_no_text(std::string_view bytes, char separator, std::uint64_t offset = 0);

}  // namespace bloomery
