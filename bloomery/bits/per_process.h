// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "bloomery/os/own_process.h"

namespace bloomery {

// A value that a child of fork() has anew. What its parent had is left as it was, and never
// destroyed there: the parent's threads may have been changing it, or hold its locks. Many threads
// may use it.
template <class T>
class PerProcess {
 public:
  PerProcess() : own_(new Own) {}
  PerProcess(const PerProcess&) = delete;
  PerProcess& operator=(const PerProcess&) = delete;
  ~PerProcess() {
    Own* const own = own_.load();
    if (own->process == process_number()) delete own;
  }

  // Returns this process's value. The first call of a process throws what making a T throws.
  T& get() {
    Own* own = own_.load(std::memory_order_acquire);
    if (own->process == process_number()) return own->value;
    auto fresh = std::make_unique<Own>();
    // The value of another thread, which may have been first, is taken instead.
    if (own_.compare_exchange_strong(own, fresh.get())) return fresh.release()->value;
    return own->value;
  }
  // Returns whether what get() once returned is still this process's.
  bool has(const T& value) const noexcept {
    const Own* const own = own_.load(std::memory_order_acquire);
    return own->process == process_number() && &own->value == &value;
  }

 private:
  struct Own {
    const std::uint64_t process = process_number();
    T value{};
  };

  std::atomic<Own*> own_;
};

}  // namespace bloomery
