// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>

#include "bloomery/place/call_context.h"

namespace bloomery {

// GuardOverloaded: too many queries wait for the database already, and this one was not made. The
// row may exist; ask again later.
struct GuardOverloaded : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Lets at most `at_most` queries run at a time. All calls may run together; while places are free
// no lock is taken.
class QueryLimit {
 public:
  // A place among them, given back when it ends. The limit outlives it.
  class Slot {
   public:
    explicit Slot(QueryLimit& limit) noexcept : limit_(&limit) {}
    Slot(Slot&& other) noexcept : limit_(std::exchange(other.limit_, nullptr)) {}
    Slot& operator=(Slot&&) = delete;
    ~Slot() {
      if (limit_ != nullptr) limit_->leave();
    }

   private:
    QueryLimit* limit_;
  };

  QueryLimit(std::size_t at_most, std::chrono::milliseconds longest_wait)
      : at_most_(at_most), longest_wait_(longest_wait), free_(at_most) {}

  // Waits for a place. Throws GuardOverloaded when none came free for longest_wait, CallAborted
  // when the context is over before.
  [[nodiscard]] Slot enter(const CallContext& context = {});
  // Takes a place without waiting; nothing where there is none.
  [[nodiscard]] std::optional<Slot> try_enter();

 private:
  bool try_take() noexcept;
  void leave() noexcept;

  const std::size_t at_most_;
  const std::chrono::milliseconds longest_wait_;
  std::atomic<std::size_t> free_;
  std::atomic<std::size_t> waiting_{0};
  std::mutex mutex_;
  std::condition_variable_any left_;
};

}  // namespace bloomery
