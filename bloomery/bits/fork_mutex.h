// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>

namespace bloomery {

// A mutex that fork() waits for, so that a child finds it free and what it guards whole, whatever
// the threads of its parent were doing. For what a child must know as its parent did.
//
// A thread that holds a ForkMutex takes no other one, makes and destroys none, and does not fork. A
// ForkMutex costs fork() some nanoseconds.
class ForkMutex {
 public:
  ForkMutex();
  ForkMutex(const ForkMutex&) = delete;
  ForkMutex& operator=(const ForkMutex&) = delete;
  ~ForkMutex();

  void lock() { mutex_.lock(); }
  bool try_lock() { return mutex_.try_lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  struct All;
  static All& all();

  std::mutex mutex_;
  ForkMutex* before_ = nullptr;  // of all there are
  ForkMutex* behind_ = nullptr;
};

}  // namespace bloomery
