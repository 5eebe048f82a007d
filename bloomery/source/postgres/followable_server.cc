// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/postgres/followable_server.h"

#include <stdexcept>

#include "bloomery/errors.h"

namespace bloomery::postgres {

void require_followable(Connection& connection, const std::string& name, bool has_slot,
                        const CallContext& context) {
  const Result settings = connection.query(
      "SELECT current_setting('wal_level'), current_setting('max_slot_wal_keep_size'), "
      "pg_is_in_recovery()",
      context);
  if (settings.at(0, 2) == "t") {
    throw StoreError(name +
                     ": the server is a standby, which cannot be followed; allowed: the "
                     "primary");
  }
  if (settings.at(0, 0) != "logical") {
    throw std::invalid_argument(name + ": cannot be followed: the server's wal_level is " +
                                settings.text(0, 0) +
                                "; ALTER SYSTEM SET wal_level = logical, and restart it");
  }
  if (has_slot && settings.at(0, 1) == "-1") {
    throw std::invalid_argument(name +
                                ": a slot with a name would fill the server's disk once nobody "
                                "follows; first: ALTER SYSTEM "
                                "SET max_slot_wal_keep_size = '10GB'; SELECT pg_reload_conf()");
  }
}

}  // namespace bloomery::postgres
