#pragma once

#include <string>

#include "bloomery/filter/call_context.h"
#include "bloomery/filter/watermark.h"
#include "bloomery/source/mariadb/column.h"
#include "bloomery/source/mariadb/connection.h"
#include "bloomery/source/mariadb/gtid_state.h"

namespace bloomery::mariadb {

// What must stay as it is for a table's rows to come out of a binary log without a gap. A session
// sees one run of the server alone, so what only a restart changes is asked once a session; the
// moment of the start is part of the identity, because rows may be lost or come without the log
// around it (sync_binlog, a restored copy, a while without log_bin).
class History {
 public:
  struct Now {
    Identity identity;
    GtidState state;

    Watermark watermark() const { return {identity, state.position()}; }
  };

  // Throws std::invalid_argument for a server or a table whose log does not tell all, saying what
  // to change.
  History(Connection& connection, const Table& table, const CallContext& context);

  // One question. Throws SourceChanged where there is no such table or column any more.
  Now ask(Connection& connection, const CallContext& context) const;

 private:
  std::string server_;  // all that makes the identity, but what is asked each time
  std::string question_;
  bool logs_replicated_ = true;
};

}  // namespace bloomery::mariadb
