// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace bloomery {

// Why what begins so is no text of records that `separator` ends, with the way that works; empty
// where it may be one. Knows compressed files that are not read, databases, tables, filters and
// archives by their first bytes; and a NUL among the first kilobytes, unless NULs end the records.
std::string why_no_text(std::string_view begin, char separator);

}  // namespace bloomery
