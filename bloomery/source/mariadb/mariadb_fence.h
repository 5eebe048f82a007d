#pragma once

#include <memory>

#include "bloomery/filter/fence_source.h"
#include "bloomery/source/server_location.h"

namespace bloomery {

// How far a MariaDB server is: the sum of the numbers in @@gtid_binlog_pos. A transaction has its
// number there before anybody can see its rows (but for READ UNCOMMITTED). One round trip, of a
// user who may read the column and nothing else. Once the numbers begin anew (RESET MASTER), it
// throws SourceChanged until they are where they were: filters of before would seem up to date.
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
  Watermark highest_{};  // that was answered
};

}  // namespace bloomery
