#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <thread>

#include "bloomery/bits/fork_mutex.h"
#include "bloomery/bits/per_process.h"
#include "bloomery/filter/reader_gate.h"

namespace bloomery::c {

// Which calls on one filter may run together, so that C's callers need not know it. Beside each
// other run questions, concurrent inserts (shared) and those who read all of it (keep); alone runs
// what changes bits faster than concurrently, or more than bits.
//
// shared() costs a store on a line of the thread's own. The gate is one for all filters, so what
// runs in shared() is short; keep() may last.
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
    for (;;) {
      {
        // fork() waits for this: a child never finds the filter half changed.
        const std::lock_guard lock(changing_);
        if (keepers_.get().load(std::memory_order_acquire) == 0) {
          const Alone alone(is_alone_);
          gate().wait_for_readers();
          return call();
        }
      }
      std::this_thread::sleep_for(std::chrono::microseconds(200));
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
  struct Keeper {
    explicit Keeper(const Exclusion& of) : keepers(of.keepers_.get()) {
      const std::lock_guard lock(of.changing_);
      keepers.fetch_add(1, std::memory_order_relaxed);
    }
    Keeper(const Keeper&) = delete;
    Keeper& operator=(const Keeper&) = delete;
    ~Keeper() { keepers.fetch_sub(1, std::memory_order_release); }
    std::atomic<std::size_t>& keepers;
  };

  // A child has one of its own: its parent's threads never leave that of the parent.
  static ReaderGate& gate() {
    static PerProcess<ReaderGate>& all = *new PerProcess<ReaderGate>;
    return all.get();
  }

  mutable ForkMutex changing_;
  mutable std::atomic<bool> is_alone_ = false;
  mutable PerProcess<std::atomic<std::size_t>> keepers_;
};

}  // namespace bloomery::c
