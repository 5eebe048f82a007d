// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bloomery/format/rdb/rdb_cursor.h"

namespace bloomery::rdb {

// Type bytes that more than one file needs; the rest stand where they are passed over.
inline constexpr std::uint8_t kModuleValue = 7;

// Passes over a value of the type, of what server ever. `is_valkey`: the file is one of Valkey 9 or
// later, where type 22 is another. Throws FormatError for a type that is not known.
void skip_value(RdbCursor& cursor, std::uint8_t type, bool is_valkey);

}  // namespace bloomery::rdb
