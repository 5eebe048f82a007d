// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "cli/ending_signals.h"

namespace bloomery::cli {

// Saves a state while a run goes on that may never end by itself: at every interval, if there is
// one, and before SIGINT, SIGTERM or SIGHUP ends the process. A thread of its own does so, as the
// run may wait for input for hours. A signal that the parent process ignores stays ignored.
//
// Made before other threads are, so that none of them is who gets these signals.
class StateKeeper {
 public:
  using Lock = std::unique_lock<std::timed_mutex>;

  // `save` is called with the lock held. Where it throws, the message is printed and the run goes
  // on.
  StateKeeper(std::optional<std::chrono::milliseconds> interval, std::function<void()> save);
  // Saves nothing. From here on signals are again what they were.
  ~StateKeeper();
  StateKeeper(const StateKeeper&) = delete;
  StateKeeper& operator=(const StateKeeper&) = delete;

  // Locks the state: nothing is saved while the lock is held, so a key goes into the state and its
  // record out in one step. A signal waits two seconds for the lock, and then ends the process with
  // the state as it was saved last. Without an interval there is no such state, and it waits
  // however long that takes.
  Lock lock() { return Lock(mutex_); }

 private:
  void run();
  void save() noexcept;
  [[noreturn]] void end_process(int signal) noexcept;

  // Wakes the thread to stop it. Whoever gets it and does not wait for it does not notice.
  static constexpr int kWake = SIGURG;

  const EndingSignals signals_{kWake};
  std::optional<std::chrono::milliseconds> interval_;
  std::function<void()> save_;
  std::timed_mutex mutex_;
  std::atomic<bool> stops_ = false;
  std::thread thread_;
};

}  // namespace bloomery::cli
