// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/column_equality.h"

#include "bloomery/source/key_encoding.h"
#include "bloomery/text/ascii.h"

namespace bloomery {
namespace {

enum class Affinity { text, blob, integer, real, numeric };

// https://www.sqlite.org/datatype3.html, section 3.1, in its order.
Affinity affinity_of(std::string_view declared) {
  const std::string type = ascii_lower(declared);
  const auto says = [&](std::string_view word) { return type.find(word) != std::string::npos; };
  if (says("int")) return Affinity::integer;
  if (says("char") || says("clob") || says("text")) return Affinity::text;
  if (type.empty() || says("blob")) return Affinity::blob;
  if (says("real") || says("floa") || says("doub")) return Affinity::real;
  return Affinity::numeric;
}

std::string of_collation(const ColumnEquality& column, Normalise normalise) {
  const std::string collation = ascii_lower(column.collation);
  if (collation == "binary") return {};
  if (collation == "nocase") {
    if (has(normalise, Normalise::lower)) return {};
    return column.name +
           " is COLLATE NOCASE: the database finds Ann by ANN, and the filter does not, unless "
           "--normalise lower";
  }
  if (collation == "rtrim") {
    if (has(normalise, Normalise::trim)) return {};
    return column.name +
           " is COLLATE RTRIM: the database finds Ann by Ann and a blank, and the filter does not, "
           "unless --normalise trim";
  }
  return column.name + " is COLLATE " + column.collation +
         ", and only its program knows what that makes equal: the filter finds a key by the same "
         "bytes alone";
}

std::string of_type(const ColumnEquality& column, const KeyForm& form) {
  if (has(form.normalise, Normalise::integer)) return {};
  const Affinity affinity = affinity_of(column.type);
  const std::string is = column.name + " is " + column.type + ": the database finds ";
  if (affinity == Affinity::real) {
    return is +
           "7 by 7, 7.0 and '007', and the filter by 7.0 alone, as SQLite prints it, unless "
           "--normalise integer (for whole numbers)";
  }
  if (affinity == Affinity::numeric ||
      (affinity == Affinity::integer && !reads_integers(form.encoding))) {
    return is + "7 by '007' and 7.0 too, and the filter by 7 alone, unless --normalise integer";
  }
  return {};
}

}  // namespace

std::string unequal_bytes_advice(const ColumnEquality& column, const KeyForm& form) {
  const std::string by_collation = of_collation(column, form.normalise);
  return by_collation.empty() ? of_type(column, form) : by_collation;
}

}  // namespace bloomery
