// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <chrono>
#include <initializer_list>
#include <optional>

namespace bloomery::cli {

// The signals that end a program, SIGINT, SIGTERM and SIGHUP: as long as this lives, they come to
// who waits for them here, and nowhere else. Made before any thread begins. One that the parent
// process ignores, as nohup does a hang-up and a shell SIGINT for what it runs beside itself, stays
// ignored. `others` end nothing, and come the same way.
class EndingSignals {
 public:
  explicit EndingSignals(std::initializer_list<int> others = {});
  ~EndingSignals();
  EndingSignals(const EndingSignals&) = delete;
  EndingSignals& operator=(const EndingSignals&) = delete;

  // The one that came within the time, if one did.
  std::optional<int> wait(std::chrono::milliseconds most) const;

 private:
  sigset_t signals_{};
  sigset_t before_{};
};

// Ends this process as the signal would have, once all is tidied up: a shell says 130 for Ctrl-C.
[[noreturn]] void die_of(int signal);

}  // namespace bloomery::cli
