// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <stop_token>

#include "bloomery/os/file_descriptor.h"
#include "bloomery/place/call_context.h"

namespace bloomery {

// Wakes poll() when a stop is requested: from then on the file can be read. Throws
// std::system_error where the system has no file left.
class StopAlarm {
 public:
  explicit StopAlarm(const std::stop_token& stop);

  int file() const noexcept { return file_.get(); }

 private:
  class EventFile {
   public:
    EventFile();

    int get() const noexcept { return file_.number(); }
    void signal() const noexcept;

   private:
    FileDescriptor file_;
  };

  EventFile file_;
  std::stop_callback<std::function<void()>> on_stop_;
};

// Returns poll()'s timeout until `time`, in milliseconds. Rounded up: poll() must not return just
// before the time, again and again.
int poll_time_until(CallContext::Clock::time_point time) noexcept;

}  // namespace bloomery
