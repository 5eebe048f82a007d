// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bloomery/place/call_context.h"
#include "bloomery/source/mariadb/column.h"
#include "bloomery/source/mariadb/mariadb_connection.h"

namespace bloomery::mysql {

// Throws std::invalid_argument where MySQL's binary log does not tell of all changes of a column,
// saying what to change. What a session of somebody's sets for itself stops the stream
// later, but for sql_log_bin=0, which nobody sees who may not look into other sessions.
void require_followable(mariadb::Connection& connection, const mariadb::Table& table,
                        const CallContext& context);

// Throws std::invalid_argument where a transaction in two phases (XA) is prepared, or the user may
// not ask. Where it returns, and was called behind the place in the log from which a stream begins,
// everything before that place is seen: the server lets nobody wait for an XA COMMIT that is logged
// and not yet committed in the tables, but it calls it prepared until then.
void require_none_prepared(mariadb::Connection& connection, const CallContext& context);

}  // namespace bloomery::mysql
