// SPDX-License-Identifier: Apache-2.0
#include "cli/output_thread.h"

#include <system_error>
#include <utility>

namespace bloomery::cli {

OutputThread::~OutputThread() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  to_write_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void OutputThread::take(std::string& bytes) {
  std::unique_lock lock(mutex_);
  written_some_.wait(lock, [this] { return problem_ || taken_ - written_ < kMostPieces; });
  if (problem_) std::rethrow_exception(problem_);
  if (has_thread()) {
    std::swap(piece(taken_++), bytes);
    lock.unlock();
    to_write_.notify_one();
  } else {
    write_(bytes);
  }
  bytes.clear();
}

void OutputThread::finish() {
  std::unique_lock lock(mutex_);
  written_some_.wait(lock, [this] { return is_done(); });
  if (problem_) std::rethrow_exception(problem_);
}

bool OutputThread::finishes_within(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  return written_some_.wait_for(lock, time, [this] { return is_done(); }) && !problem_;
}

bool OutputThread::has_thread() {
  if (thread_.joinable()) return true;
  try {
    thread_ = std::thread([this] { run(); });
    return true;
  } catch (const std::system_error&) {
    return false;  // The system gives none, so the caller writes.
  }
}

void OutputThread::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    to_write_.wait(lock, [this] { return stops_ || written_ < taken_; });
    if (written_ == taken_) return;
    const std::string& next = piece(written_);
    lock.unlock();
    std::exception_ptr problem;
    try {
      write_(next);
    } catch (...) {
      problem = std::current_exception();
    }
    lock.lock();
    if (problem) {
      problem_ = std::move(problem);
    } else {
      ++written_;
    }
    written_some_.notify_all();
    if (problem_) return;
  }
}

}  // namespace bloomery::cli
