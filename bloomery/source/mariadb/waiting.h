// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "bloomery/place/call_context.h"

namespace bloomery {
class StopAlarm;
}

namespace bloomery::mariadb {

// Waiting: until when a call may wait for its server, by the caller's deadline and stop, and never
// longer than `timeout` without a byte. Made once a call. One thread at a time.
class Waiting {
 public:
  Waiting(std::string server, const CallContext& context, std::chrono::milliseconds timeout);
  ~Waiting();
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

  // Waits for what libmariadb wants (MYSQL_WAIT_...) of a file, and says what there is. Throws
  // CallAborted where the caller's time is over, and StoreError where the server's is.
  int wait(int file, int wanted, const char* doing);
  // Throws CallAborted if the caller's time is over.
  void check(const char* doing) const;

 private:
  const std::string server_;
  const CallContext context_;
  const std::chrono::milliseconds timeout_;
  std::unique_ptr<StopAlarm> alarm_;
};

}  // namespace bloomery::mariadb
