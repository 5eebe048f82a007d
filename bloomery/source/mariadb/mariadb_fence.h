// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "bloomery/place/fence_source.h"
#include "bloomery/source/server_location.h"

namespace bloomery {

// How far a MariaDB or MySQL server is. In MariaDB's log a transaction has its number in
// @@gtid_binlog_pos before anybody can see its rows (but for READ UNCOMMITTED): one round trip, of
// a user who may read the column and nothing else (LogPosition). MySQL's log ends behind a
// transaction before anybody can see its rows: three round trips, of a user who has REPLICATION
// CLIENT, too (mysql::LogHistory). Once the log begins anew (RESET MASTER, RESET BINARY LOGS AND
// GTIDS) the answers are of another source.
class MariadbFence final : public FenceSource {
 public:
  // Connects when it is asked first, and again where the session broke.
  explicit MariadbFence(const ServerLocation& location);
  ~MariadbFence() override;

  Watermark ask(const CallContext& context = {}) override;

 private:
  struct Session;

  const ServerLocation location_;
  std::unique_ptr<Session> session_;
};

}  // namespace bloomery
