// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>

#include "bloomery/place/call_context.h"
#include "bloomery/place/fence_judge.h"
#include "bloomery/place/reader_gate.h"

namespace bloomery {

// The fences that were asked within a budget, oldest first. All calls may run together; who looks
// takes no lock.
class RecentFences {
 public:
  using Clock = CallContext::Clock;

  // How often a fence is asked in a budget.
  static constexpr int kInBudget = 4;

  RecentFences() = default;
  RecentFences(const RecentFences&) = delete;
  RecentFences& operator=(const RecentFences&) = delete;
  ~RecentFences() { delete list_.load(); }

  struct Found {
    // The oldest that is within the budget, with what was known of the filters before the newest
    // was asked, if anything was: all of them are of one history with a row from before.
    std::optional<JudgedFence> oldest{};
    // The newest is so old that another should be asked.
    bool is_due = false;
  };
  Found find(Clock::time_point now, std::chrono::milliseconds budget);

  // Adds a fence, with a moment from before it was asked.
  void add(const JudgedFence& asked, Clock::time_point at);

 private:
  struct Timed {
    JudgedFence asked;
    Clock::time_point at;
  };
  // List: never changed, only replaced.
  struct List {
    std::array<Timed, kInBudget + 2> all{};
    std::size_t count = 0;

    List with(const Timed& next) const noexcept;
  };

  ReaderGate gate_{};
  std::mutex publishing_{};
  std::atomic<const List*> list_{new List};
};

}  // namespace bloomery
