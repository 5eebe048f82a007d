// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "bloomery/text/key_form.h"

namespace bloomery {

// A column whose declaration makes texts of different bytes equal in comparisons: the database
// finds a row by a key that a filter calls absent.
struct ColumnEquality {
  std::string name;       // table.column
  std::string type;       // as declared; empty where none is
  std::string collation;  // "BINARY", where equal means equal bytes
};

// Why keys of the column need more than `form` does, and which --normalise does it: a sentence, or
// nothing where equal keys have equal bytes. By SQLite's rules of affinity.
std::string unequal_bytes_advice(const ColumnEquality& column, const KeyForm& form);

}  // namespace bloomery
