#pragma once

#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "bloomery/guard/hashed_key.h"

namespace bloomery {

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

  // The answer when it is there. Throws what the flight failed with.
  const Result& wait() {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return result_ || error_; });
    if (error_) std::rethrow_exception(error_);
    return *result_;  // never changed again
  }

  // From its return on nothing of this flight is written back: it waits for a write under way.
  void detach() noexcept {
    const std::lock_guard lock(write_mutex_);
    detached_ = true;
  }

  // Runs `write` unless the flight is detached, which has to wait until it is through.
  template <class Write>
  void write_back(Write write) {
    const std::lock_guard lock(write_mutex_);
    if (!detached_) write();
  }

 private:
  void end(std::optional<Result> result, std::exception_ptr error) {
    {
      const std::lock_guard lock(mutex_);
      if (result_ || error_) return;
      result_ = std::move(result);
      error_ = std::move(error);
    }
    ended_.notify_all();
  }

  const std::string key_;
  const std::uint64_t hash_;

  std::mutex mutex_;
  std::condition_variable ended_;
  std::optional<Result> result_;
  std::exception_ptr error_;

  std::mutex write_mutex_;
  bool detached_ = false;
};

}  // namespace bloomery
