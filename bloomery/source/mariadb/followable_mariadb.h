// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bloomery/place/call_context.h"
#include "bloomery/source/mariadb/column.h"
#include "bloomery/source/mariadb/mariadb_connection.h"

// Checks whether a binary log tells of all changes of a column. Each throws std::invalid_argument
// where it does not, saying what to change.
namespace bloomery::mariadb {

// Needs the right to see where the log is.
void require_whole_log(Connection& connection, const CallContext& context);

// Needs the right SELECT on all of the table.
void require_followable(Connection& connection, const Table& table, const CallContext& context);

}  // namespace bloomery::mariadb
