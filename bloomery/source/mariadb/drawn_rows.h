// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "bloomery/place/call_context.h"
#include "bloomery/source/mariadb/column.h"
#include "bloomery/source/mariadb/mariadb_connection.h"
#include "bloomery/text/key_form.h"

namespace bloomery::mariadb {

// Keys of up to `count` rows here and there in the table, by one seek for each: of a row behind
// each of some numbers that are drawn for its primary key, so behind a gap the more often. Nothing
// where the primary key does not begin with an integer.
std::optional<std::vector<std::string>> draw_keys(Connection& connection, const Table& table,
                                                  const KeyForm& form, std::size_t count,
                                                  std::minstd_rand& random,
                                                  const CallContext& context);

}  // namespace bloomery::mariadb
