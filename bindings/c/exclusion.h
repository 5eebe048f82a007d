// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <thread>

#include "bloomery/bits/fork_mutex.h"
#include "bloomery/bits/per_process.h"
#include "bloomery/place/reader_gate.h"

namespace bloomery::c {

// Exclusion: which calls on one filter may run together, so that C's callers need not know it.
// Questions, concurrent inserts (shared) and those who read all of it (keep) run beside each other;
// what changes bits faster than concurrently, or more than bits, runs alone.
//
// shared() costs a store on a line of the thread's own. The gate is one for all filters, so what
// runs in shared() is short; keep() may last. Who waits to run alone goes before whoever comes to
// keep after him, so that loops of those never hold him up for good.
class Exclusion {
 public:
  auto shared(const auto& call) const {
    for (;;) {
      {
        const auto pass = gate().enter();
        // Ordered behind entering, as alone() stores it before it looks who is inside: one of the
        // two sees the other.
        if (!is_alone_.load(std::memory_order_seq_cst)) [[likely]]
          return call();
      }
      const std::lock_guard wait(changing_);
    }
  }

  auto alone(const auto& call) const {
    Line& line = line_.get();
    Waiter waiter(line);
    for (;;) {
      {
        // fork() waits for this: a child never finds the filter half changed.
        const std::lock_guard lock(changing_);
        if (line.keepers.load(std::memory_order_acquire) == 0) {
          waiter.end();
          const Alone alone(is_alone_);
          gate().wait_for_readers();
          return call();
        }
        waiter.begin();
      }
      pause();
    }
  }

  auto keep(const auto& call) const {
    const Keeper keeper(*this);
    return call();
  }

 private:
  struct Alone {
    explicit Alone(std::atomic<bool>& flag) : is_alone(flag) {
      is_alone.store(true, std::memory_order_seq_cst);
    }
    Alone(const Alone&) = delete;
    Alone& operator=(const Alone&) = delete;
    ~Alone() { is_alone.store(false, std::memory_order_release); }
    std::atomic<bool>& is_alone;
  };
  // Line counts the keepers and waiters of this process: a child has none of its parent's threads.
  // Both counts grow under changing_.
  struct Line {
    std::atomic<std::size_t> keepers = 0;
    std::atomic<std::size_t> waiters = 0;
  };
  struct Keeper {
    explicit Keeper(const Exclusion& of) : line(of.line_.get()) {
      while (!try_enter(of)) pause();
    }
    Keeper(const Keeper&) = delete;
    Keeper& operator=(const Keeper&) = delete;
    ~Keeper() { line.keepers.fetch_sub(1, std::memory_order_release); }
    bool try_enter(const Exclusion& of) {
      const std::lock_guard lock(of.changing_);
      if (line.waiters.load(std::memory_order_relaxed) != 0) return false;
      line.keepers.fetch_add(1, std::memory_order_relaxed);
      return true;
    }
    Line& line;
  };
  // A change that found keepers, and lets no more of them in until it has run. A change that found
  // none begins no wait, so that keepers get in as soon as it has run.
  struct Waiter {
    explicit Waiter(Line& of) : line(of) {}
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    ~Waiter() { end(); }
    void begin() {
      if (!is_waiting) line.waiters.fetch_add(1, std::memory_order_relaxed);
      is_waiting = true;
    }
    void end() {
      if (is_waiting) line.waiters.fetch_sub(1, std::memory_order_relaxed);
      is_waiting = false;
    }
    Line& line;
    bool is_waiting = false;
  };

  static void pause() { std::this_thread::sleep_for(std::chrono::microseconds(200)); }

  // A child has one of its own: its parent's threads never leave that of the parent.
  static ReaderGate& gate() {
    static PerProcess<ReaderGate>& all = *new PerProcess<ReaderGate>;
    return all.get();
  }

  mutable ForkMutex changing_;
  mutable std::atomic<bool> is_alone_ = false;
  mutable PerProcess<Line> line_;
};

}  // namespace bloomery::c
