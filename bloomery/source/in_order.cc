// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/in_order.h"

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace bloomery {
namespace {

// Pieces are numbered as they begin; piece i has slot i modulo their number. At any time
// ended_ <= taken_ <= begun_ <= ended_ + slots.
class OrderedRun {
 public:
  OrderedRun(unsigned threads, const OrderedSteps& steps)
      : threads_(threads), steps_(steps), slots_(slot_count(threads)) {}
  OrderedRun(const OrderedRun&) = delete;
  OrderedRun& operator=(const OrderedRun&) = delete;

  ~OrderedRun() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    to_work_.notify_all();
    for (std::thread& each : workers_) each.join();
  }

  void run() {
    bool has_more = true;
    std::exception_ptr problem;  // of begin()
    std::unique_lock lock(mutex_);
    while (has_more || ended_ < begun_) {
      if (ended_ < begun_ && slot_of(ended_).is_done) {
        lock.unlock();
        if (!end()) return;
        lock.lock();
      } else if (has_more && can_begin()) {
        lock.unlock();
        try {
          has_more = begin();
        } catch (...) {
          problem = std::current_exception();
          has_more = false;
        }
        lock.lock();
      } else if (taken_ < begun_) {
        work(lock);
      } else {
        done_.wait(lock, [this] { return slot_of(ended_).is_done; });
      }
    }
    if (problem) std::rethrow_exception(problem);
  }

 private:
  struct Slot {
    bool is_done = false;
    std::exception_ptr problem;  // of work()
  };

  Slot& slot_of(std::uint64_t piece) noexcept { return slots_[piece % slots_.size()]; }

  // Numbers of pieces that the caller's thread alone changes may be read by it without the lock.
  bool can_begin() const {
    if (begun_ == ended_) return true;
    return begun_ - ended_ < slots_.size() && !(steps_.would_wait && steps_.would_wait());
  }

  bool begin() {
    if (!steps_.begin(begun_ % slots_.size())) return false;
    {
      const std::lock_guard lock(mutex_);
      ++begun_;
    }
    if (begun_ == 2) start_workers();
    to_work_.notify_one();
    return true;
  }

  bool end() {
    Slot& slot = slot_of(ended_);
    if (slot.problem) std::rethrow_exception(slot.problem);
    const bool wants_more = steps_.end(ended_ % slots_.size());
    slot.is_done = false;
    ++ended_;
    return wants_more;
  }

  // Works on the oldest piece that nobody has taken.
  void work(std::unique_lock<std::mutex>& lock) {
    const std::uint64_t piece = taken_++;
    lock.unlock();
    std::exception_ptr problem;
    try {
      steps_.work(piece % slots_.size());
    } catch (...) {
      problem = std::current_exception();
    }
    lock.lock();
    slot_of(piece).problem = std::move(problem);
    slot_of(piece).is_done = true;
    done_.notify_one();
  }

  void start_workers() {
    try {
      for (unsigned i = 1; i < threads_; ++i) {
        workers_.emplace_back([this] {
          std::unique_lock lock(mutex_);
          for (;;) {
            to_work_.wait(lock, [this] { return stopped_ || taken_ < begun_; });
            if (stopped_) return;
            work(lock);
          }
        });
      }
    } catch (const std::system_error&) {
      // The caller's thread does what the others would have.
    }
  }

  unsigned threads_;
  const OrderedSteps& steps_;
  std::mutex mutex_;  // of all below; begun_ and ended_ are changed by the caller's thread alone
  std::condition_variable to_work_;
  std::condition_variable done_;
  std::vector<Slot> slots_;
  std::uint64_t begun_ = 0;
  std::uint64_t taken_ = 0;
  std::uint64_t ended_ = 0;
  bool stopped_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace

void run_in_order(unsigned threads, const OrderedSteps& steps) {
  OrderedRun(threads, steps).run();
}

}  // namespace bloomery
