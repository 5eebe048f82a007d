// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace bloomery::cli {

// DatabaseTable: where rows are found by their key. A look-up reads one value of the row.
struct DatabaseTable {
  std::string path;
  std::string table;
  std::string column;        // of the key
  std::string value_column;  // of what is looked up; may be the key's
  std::uint32_t busy_timeout_ms = 5000;
};

}  // namespace bloomery::cli
