// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace bloomery::cli {

// Writes in order, on a thread of its own, what another thread fills: that one waits for a disk or
// a pipe only when several pieces are on their way.
class OutputThread {
 public:
  // `write` throws where it cannot write all.
  explicit OutputThread(std::function<void(std::string_view)> write) : write_(std::move(write)) {}
  // Writes what it has taken, as long as nothing fails.
  ~OutputThread();
  OutputThread(const OutputThread&) = delete;
  OutputThread& operator=(const OutputThread&) = delete;

  // Takes the bytes, and leaves nothing but room for the next. The thread is made with the first
  // piece, after whatever was done to signals. Throws what writing an earlier piece threw; from
  // then on nothing is written.
  void take(std::string& bytes);

  // Returns when all is written. Throws as take() does.
  void finish();

  // Returns whether all is written before so much time has passed. Any thread may ask.
  bool finishes_within(std::chrono::milliseconds time);

 private:
  static constexpr std::size_t kMostPieces = 8;

  bool has_thread();
  void run();
  bool is_done() const noexcept { return problem_ || written_ == taken_; }
  std::string& piece(std::uint64_t number) noexcept { return pieces_[number % kMostPieces]; }

  std::function<void(std::string_view)> write_;
  std::mutex mutex_;  // of all below
  std::condition_variable to_write_;
  std::condition_variable written_some_;
  // `pieces_` is a ring. Strings that are taken and not yet written are the thread's, and the
  // others are room for more.
  std::array<std::string, kMostPieces> pieces_;
  std::uint64_t taken_ = 0;
  std::uint64_t written_ = 0;
  std::exception_ptr problem_;
  bool stops_ = false;
  std::thread thread_;
};

}  // namespace bloomery::cli
