// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "bloomery/source/key_source.h"

namespace bloomery {

// Runs a consumer on a thread of its own, one batch at a time, while the caller fills the next: a
// database's scan is one core's work, and hashing and inserting another's.
class BatchWorker {
 public:
  explicit BatchWorker(const BatchConsumer& consumer);
  BatchWorker(const BatchWorker&) = delete;
  BatchWorker& operator=(const BatchWorker&) = delete;
  ~BatchWorker();

  // Hands over a batch, once the one before is consumed; its views stay valid until the next call
  // returns. False when the consumer wants no more; the batch is then not taken. Rethrows what the
  // consumer threw.
  bool start(const Batch& batch);

  // Returns when the last batch is consumed; answers and throws as start() does.
  bool finish();

 private:
  enum class State { idle, working, stopped };

  void work();
  bool wait(std::unique_lock<std::mutex>& lock);

  const BatchConsumer& consumer_;
  std::mutex mutex_;
  std::condition_variable changed_;
  State state_ = State::idle;
  bool wants_more_ = true;
  std::exception_ptr problem_;
  Batch batch_{};
  std::thread thread_;
};

}  // namespace bloomery
