// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "bloomery/text/key_form.h"

namespace bloomery::postgres {

constexpr std::uint32_t kByteaOid = 17;

// The type of a column's values, and which of them a database calls equal.
struct ColumnType {
  std::string name{};     // table.column; empty of a query's
  std::uint32_t oid = 0;  // of the type, or of what its domain is made of
  std::string type{};     // its name
  bool is_built_in = false;
  std::string collation{};  // empty where it has none
  bool is_deterministic = true;
};

// Why keys of the column need more than `form` does, and which --normalise does it: a sentence, or
// nothing where equal keys have equal bytes.
std::string unequal_bytes_advice(const ColumnType& column, const KeyForm& form);

// Returns whether a value is always printed alike, whatever is altered but the table itself. An
// enum's labels can be renamed under the rows; a type of somebody's may do anything.
bool prints_alike(const ColumnType& column);

}  // namespace bloomery::postgres
