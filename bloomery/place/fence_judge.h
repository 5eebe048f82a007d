// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "bloomery/bits/per_process.h"
#include "bloomery/place/filter_place.h"
#include "bloomery/place/guard_counters.h"
#include "bloomery/place/history_watch.h"

namespace bloomery {

// How far the database is, at a moment after the call began (CoalescedFence::ask).
using AskFence = std::function<Fence(const CallContext& context)>;

// A fence, and what was known of the place's filters before it was asked.
struct JudgedFence {
  Fence fence{};
  std::shared_ptr<const Proofs> known{};
  bool is_barred = false;  // HistoryWatch: no denial behind it counts
};

// Asks how far a place's database is, and says which denials behind that count, where the database
// may have lost rows that the filter has:
//
// - A fence counts only if no watermark lies above it that was read before it was asked
//   (HistoryWatch).
// - A denial counts only of filters that were known before its fence was asked: one that came since
//   may have been filled in a history that was lost before.
// - A watermark that rises above its fence meanwhile does so rightly where the database is there by
//   now. So the fence is asked once more, unless it names the history that it is of.
//
// Borrows the place. Many threads may use it; a child of fork() begins anew.
class FenceJudge {
 public:
  // Counts what it asks in `counters`.
  FenceJudge(FilterPlace& place, AskFence fence, CounterBoard& counters)
      : place_(place), fence_(std::move(fence)), counters_(counters) {}

  // `known`: what answers of the place rested on, of just now. `looks`: at the place as it is now,
  // too. Throws SourceChanged where the filter is ahead, and what the place and the fence throw.
  JudgedFence ask(Proofs known, bool looks, const CallContext& context);

  // Returns whether a denial behind the fence `asked` counts, which rests on `proofs`.
  static bool counts(const JudgedFence& asked, const Proofs& proofs);
  // Returns whether the database has come to where the proofs are, or is asked and confirms it.
  // Throws what the fence throws.
  bool is_confirmed(const JudgedFence& asked, const Proofs& proofs, const CallContext& context);

 private:
  void look_at_place(HistoryWatch::Before& before, const CallContext& context);
  Fence fence_now(const CallContext& context);

  FilterPlace& place_;
  const AskFence fence_;
  CounterBoard& counters_;
  PerProcess<HistoryWatch> history_;
};

}  // namespace bloomery
