// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "bloomery/bits/per_process.h"
#include "bloomery/place/back_off.h"
#include "bloomery/place/fence_source.h"
#include "bloomery/place/gathering.h"
#include "bloomery/place/watermark.h"

namespace bloomery {

// Options of a CoalescedFence.
struct CoalescedFenceOptions {
  std::string name = "the fence";            // for messages
  std::size_t connections = 2;               // at most; the second where the first takes long
  std::chrono::milliseconds patience{2};     // what is long
  std::chrono::milliseconds timeout{2'000};  // of a question, with waiting for its turn
};

// Asks a database how far it is, for many threads with one question: those who come while one is
// under way wait for the next, and share that. None is told what was asked before it came: rows
// that were committed in between would lie above such an answer.
//
// A question that fails is told to exactly those who share it. Its connection is thrown away; of
// one that was kept that says nothing yet, and a new one is asked at once. Where that fails too,
// the next is opened after a pause (BackOff), and until then everybody is told why at once. Where
// the thread that asked for all leaves, the others ask anew. Many threads may use it; a child of
// fork() opens connections of its own, whatever its parent's threads were doing.
class CoalescedFence {
 public:
  // Opens a connection to the database.
  using Open = std::function<std::unique_ptr<FenceSource>()>;

  // `open` is called when a connection is needed, by one thread at a time. Throws
  // std::invalid_argument without connections, or without `open`.
  explicit CoalescedFence(Open open, CoalescedFenceOptions options = {});
  CoalescedFence(const CoalescedFence&) = delete;
  CoalescedFence& operator=(const CoalescedFence&) = delete;

  // How far the database was at some moment after this was called. Throws what `open` and the
  // source throw, StoreError where the time-out is over, CallAborted where the context is.
  Fence ask(const CallContext& context = {});

  // How many were sent to the database, and how many calls they answered.
  std::uint64_t questions() const noexcept { return questions_.load(std::memory_order_relaxed); }
  std::uint64_t calls() const noexcept { return calls_.load(std::memory_order_relaxed); }
  // How many calls wait for the next question.
  std::size_t waiting() { return gathering_.waiting(); }

 private:
  // The connections of this process. A child of fork() must not close its parent's: that would end
  // them.
  struct Mine {
    BackOff back_off{};
    std::mutex mutex{};
    std::mutex opening{};
    std::vector<std::unique_ptr<FenceSource>> idle{};
  };

  Fence question(const CallContext& context);
  Fence ask_someone(Mine& mine, const CallContext& context);
  Fence ask_one(Mine& mine, std::unique_ptr<FenceSource> source, const CallContext& context);
  static std::unique_ptr<FenceSource> take_idle(Mine& mine);

  const Open open_;
  const CoalescedFenceOptions options_;

  std::atomic<std::uint64_t> questions_{0};
  std::atomic<std::uint64_t> calls_{0};
  PerProcess<Mine> mine_;
  Gathering<Fence> gathering_;
};

}  // namespace bloomery
