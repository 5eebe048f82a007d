// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "bloomery/guard/hashed_key.h"
#include "bloomery/guard/wait_until.h"

namespace bloomery {

// The leader of a flight left for reasons of his own, such as his deadline. Who shares the flight
// asks anew.
struct FlightAbandoned : std::runtime_error {
  FlightAbandoned() : std::runtime_error("single flight: its leader gave up") {}
};

// One question under way: its leader finds the answer, all others who ask the same wait for it
// here. All calls may run together. A flight that nobody waits for makes no condition variable.
template <class Result>
class Flight {
 public:
  explicit Flight(HashedKey key) : key_(key.key), hash_(key.hash) {}

  HashedKey key() const noexcept { return {key_, hash_}; }

  // The leader's, once: what comes after the first end is ignored.
  void succeed(Result result) { end(std::move(result), nullptr, false); }
  void fail(std::exception_ptr error) noexcept { end(std::nullopt, std::move(error), false); }
  // succeed(), and begins to write the answer where others look; end_write() follows. False: it is
  // detached, do not write.
  [[nodiscard]] bool succeed_and_write(Result result) {
    return end(std::move(result), nullptr, true);
  }
  void end_write() noexcept {
    bool is_awaited = false;
    {
      const std::lock_guard lock(mutex_);
      writing_ = false;
      is_awaited = changed_.has_value();
    }
    if (is_awaited) changed_->notify_all();
  }

  // The answer when it is there. Throws what the flight failed with, and CallAborted when the
  // context is over before: the flight goes on without this one.
  const Result& wait(const CallContext& context = {}) {
    std::unique_lock lock(mutex_);
    if (!wait_for(lock, context, [this] { return result_ || error_; })) {
      throw CallAborted("guard: the call was over before the query that it shares");
    }
    if (error_) std::rethrow_exception(error_);
    return *result_;  // never changed again
  }

  // Lets nothing of this flight begin to be written, from its return on. Returns whether something
  // is being written now.
  bool detach() noexcept {
    const std::lock_guard lock(mutex_);
    detached_ = true;
    return writing_;
  }
  bool is_writing() noexcept {
    const std::lock_guard lock(mutex_);
    return writing_;
  }
  // Returns whether the write is over before the context is.
  bool wait_for_write(const CallContext& context) {
    std::unique_lock lock(mutex_);
    return wait_for(lock, context, [this] { return !writing_; });
  }

 private:
  template <class>
  friend class SingleFlight;

  bool end(std::optional<Result> result, std::exception_ptr error, bool to_write) {
    bool is_awaited = false;
    bool may_write = false;
    {
      const std::lock_guard lock(mutex_);
      if (result_ || error_) return false;
      result_ = std::move(result);
      error_ = std::move(error);
      may_write = writing_ = to_write && !detached_;
      is_awaited = changed_.has_value();
    }
    // Not taken away again while the flight lives, and the leader has it.
    if (is_awaited) changed_->notify_all();
    return may_write;
  }

  bool wait_for(std::unique_lock<std::mutex>& lock, const CallContext& context, auto done) {
    if (done()) return true;
    if (!changed_) changed_.emplace();
    return wait_until(*changed_, lock, context, done);
  }

  const std::string key_;
  const std::uint64_t hash_;

  std::mutex mutex_;
  std::optional<std::condition_variable_any> changed_;  // made by the first who waits
  std::optional<Result> result_;
  std::exception_ptr error_;
  bool detached_ = false;
  bool writing_ = false;

  std::shared_ptr<Flight> next_late_;  // the SingleFlight's
};

}  // namespace bloomery
