#pragma once

#include <condition_variable>
#include <exception>
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
// here. All calls may run together.
template <class Result>
class Flight {
 public:
  explicit Flight(HashedKey key) : key_(key.key), hash_(key.hash) {}

  HashedKey key() const noexcept { return {key_, hash_}; }

  // The leader's, once: what comes after the first end is ignored.
  void succeed(Result result) { end(std::move(result), nullptr); }
  void fail(std::exception_ptr error) noexcept { end(std::nullopt, std::move(error)); }

  // The answer when it is there. Throws what the flight failed with, and CallAborted when the
  // context is over before: the flight goes on without this one.
  const Result& wait(const CallContext& context = {}) {
    std::unique_lock lock(mutex_);
    if (!wait_until(changed_, lock, context, [this] { return result_ || error_; })) {
      throw CallAborted("guard: the call was over before the query that it shares");
    }
    if (error_) std::rethrow_exception(error_);
    return *result_;  // never changed again
  }

  // From its return on nothing of this flight is written back: it waits for a write under way.
  void detach() noexcept {
    std::unique_lock lock(mutex_);
    detached_ = true;
    changed_.wait(lock, [this] { return !writing_; });
  }

  // The leader's, around writing its answer back. False: it is detached, do not write.
  bool begin_write() noexcept {
    const std::lock_guard lock(mutex_);
    writing_ = !detached_;
    return writing_;
  }
  void end_write() noexcept {
    {
      const std::lock_guard lock(mutex_);
      writing_ = false;
    }
    changed_.notify_all();
  }

 private:
  void end(std::optional<Result> result, std::exception_ptr error) {
    {
      const std::lock_guard lock(mutex_);
      if (result_ || error_) return;
      result_ = std::move(result);
      error_ = std::move(error);
    }
    changed_.notify_all();
  }

  const std::string key_;
  const std::uint64_t hash_;

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<Result> result_;
  std::exception_ptr error_;
  bool detached_ = false;
  bool writing_ = false;
};

}  // namespace bloomery
