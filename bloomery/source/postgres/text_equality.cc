// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/postgres/text_equality.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "bloomery/source/key_encoding.h"

namespace bloomery::postgres {
namespace {

using namespace std::string_view_literals;

constexpr std::array kIntegers{"int2"sv, "int4"sv, "int8"sv, "oid"sv};
// Types of which one value has one spelling, but for these.
constexpr std::array kOthers{"bool"sv,     "float4"sv, "float8"sv, "numeric"sv,   "uuid"sv,
                             "date"sv,     "time"sv,   "timetz"sv, "timestamp"sv, "timestamptz"sv,
                             "interval"sv, "inet"sv,   "cidr"sv,   "macaddr"sv,   "macaddr8"sv,
                             "bit"sv,      "varbit"sv, "bytea"sv};
constexpr std::array kTexts{"text"sv, "varchar"sv, "bpchar"sv, "name"sv, "char"sv};

template <class Names>
bool is_one_of(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

std::string unequal_bytes_advice(const ColumnType& column, const KeyForm& form) {
  if (column.name.empty()) return {};
  const std::string is = column.name + " is " + column.type + ": the database finds ";
  if (column.type == "citext") {
    if (!has(form.normalise, Normalise::lower)) {
      return is +
             "Ann by ANN, and the filter does not, unless --normalise lower, which lowers A to Z "
             "alone";
    }
    return is +
           "Özge by ÖZGE, where its locale has such letters, and the filter does not: --normalise "
           "lower lowers A to Z alone. Load lower(column)::text by a query, and lower each key "
           "so before it is asked for";
  }
  if (!column.is_deterministic) {
    return column.name + " is COLLATE " + column.collation +
           ", which calls different bytes equal: the filter finds a key by the same bytes alone";
  }
  if (column.type == "bpchar" && !has(form.normalise, Normalise::trim)) {
    return is +
           "Ann by Ann with any number of blanks, and the filter by Ann with all of the "
           "column's blanks alone, unless --normalise trim";
  }
  if (has(form.normalise, Normalise::integer)) return {};
  if (column.type == "numeric") {
    return is +
           "7 by 7.0 and '007' too, and the filter as it is printed alone, unless "
           "--normalise integer (for whole numbers)";
  }
  if (is_one_of(kIntegers, column.type) && !reads_integers(form.encoding)) {
    return is + "7 by '007' and ' 7' too, and the filter by 7 alone, unless --normalise integer";
  }
  if (is_one_of(kOthers, column.type) && column.type != "bytea") {
    return is +
           "a value however it is spelled, and the filter as the server prints it alone (ISO "
           "dates in UTC, uuid in lower case with its dashes)";
  }
  return {};
}

bool prints_alike(const ColumnType& column) {
  if (column.type == "citext") return true;
  return column.is_built_in && (is_one_of(kIntegers, column.type) ||
                                is_one_of(kOthers, column.type) || is_one_of(kTexts, column.type));
}

}  // namespace bloomery::postgres
