// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bloomery/place/call_context.h"
#include "bloomery/source/mariadb/column.h"
#include "bloomery/source/mariadb/connection.h"

namespace bloomery::mysql {

// Whether MySQL's binary log tells of all changes of a column. Throws std::invalid_argument where
// it does not, saying what to change. What a session of somebody's sets for itself stops the stream
// later, but for sql_log_bin=0, which nobody sees who may not look into other sessions.
void require_followable(mariadb::Connection& connection, const mariadb::Table& table,
                        const CallContext& context);

// Whether no transaction in two phases (XA) is prepared. Asked behind a place in the log from which
// a stream begins, it means that everything before that place is seen: the server lets nobody wait
// for an XA COMMIT that is logged and not committed in the tables yet, but it calls it prepared
// until then. Throws std::invalid_argument where one is, or the user may not ask.
void require_none_prepared(mariadb::Connection& connection, const CallContext& context);

}  // namespace bloomery::mysql
