// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/batch_worker.h"

#include <utility>

namespace bloomery {

BatchWorker::BatchWorker(const BatchConsumer& consumer)
    : consumer_(consumer), thread_([this] { work(); }) {}

BatchWorker::~BatchWorker() {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return state_ != State::working; });
    state_ = State::stopped;
  }
  changed_.notify_all();
  thread_.join();
}

bool BatchWorker::start(const Batch& batch) {
  std::unique_lock lock(mutex_);
  if (!wait(lock)) return false;
  batch_ = batch;
  state_ = State::working;
  lock.unlock();
  changed_.notify_all();
  return true;
}

bool BatchWorker::finish() {
  std::unique_lock lock(mutex_);
  return wait(lock);
}

bool BatchWorker::wait(std::unique_lock<std::mutex>& lock) {
  changed_.wait(lock, [this] { return state_ != State::working; });
  if (problem_) std::rethrow_exception(std::exchange(problem_, nullptr));
  return wants_more_;
}

void BatchWorker::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return state_ != State::idle; });
    if (state_ == State::stopped) return;
    lock.unlock();
    bool wants_more = false;
    std::exception_ptr problem;
    try {
      wants_more = consumer_(batch_);
    } catch (...) {
      problem = std::current_exception();
    }
    lock.lock();
    wants_more_ = wants_more;
    problem_ = std::move(problem);
    state_ = State::idle;
    changed_.notify_all();
  }
}

}  // namespace bloomery
