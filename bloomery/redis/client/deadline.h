// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "bloomery/place/call_context.h"

namespace bloomery {
class StopAlarm;
}

namespace bloomery::redis {

// Deadline: until when a call may wait for a server, by its caller's deadline and stop, and never
// longer than the location's time-out. Made once a call, and asked wherever the call waits. One
// thread at a time.
class Deadline {
 public:
  Deadline(std::string server, const CallContext& context, std::chrono::milliseconds timeout);
  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  const std::string& server() const noexcept { return server_; }
  CallContext::Clock::time_point at() const noexcept { return at_; }
  const std::stop_token& stop() const noexcept { return stop_; }
  std::chrono::milliseconds left() const;

  // Waits until poll() has one of `events` for the file, or an error of it. `sooner`: false when
  // that has passed first.
  bool wait_for(int file, short events, const char* doing,
                CallContext::Clock::time_point sooner = CallContext::kNever);
  void pause(std::chrono::milliseconds length, const char* doing);
  // Throws if it is over.
  void check(const char* doing) const;
  // CallAborted where that was the caller's wish, else TimeoutError.
  [[noreturn]] void give_up(const char* doing) const;

 private:
  const std::string server_;
  const std::chrono::milliseconds timeout_;
  const CallContext::Clock::time_point callers_;
  const CallContext::Clock::time_point at_;
  const std::stop_token stop_;
  std::unique_ptr<StopAlarm> alarm_;
};

}  // namespace bloomery::redis
