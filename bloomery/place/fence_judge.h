// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "bloomery/bits/per_process.h"
#include "bloomery/place/filter_place.h"
#include "bloomery/place/guard_counters.h"
#include "bloomery/place/history_watch.h"

namespace bloomery {

// How far the database is, at a moment after the call began (CoalescedFence::ask).
using AskFence = std::function<Fence(const CallContext& context)>;

// A fence, and what the place's filters were compared with it.
struct JudgedFence {
  Fence fence{};
  // Told::filters of those that it was compared with; none: they could not be read.
  std::optional<std::uint64_t> filters{};
  bool is_barred = false;  // HistoryWatch: no denial behind it counts
  // What was read of the filters before it was asked.
  std::shared_ptr<const Proofs> known{};
};

// Asks how far a place's database is, and says which denials behind that count, where the database
// may have lost rows that the filter has:
//
// - A fence counts only if no watermark lies above it that was read before it was asked
//   (HistoryWatch).
// - A denial counts only of filters that had been told when its fence was asked: one that came
//   since may have been filled in a history that was lost before.
// - A watermark that rises above its fence meanwhile does so rightly where the database is there by
//   now. So the fence is asked once more, unless it names the history that it is of.
//
// Borrows the place. Many threads may use it; a child of fork() begins anew.
class FenceJudge {
 public:
  // Counts what it asks in `counters`.
  FenceJudge(FilterPlace& place, AskFence fence, CounterBoard& counters)
      : place_(place), fence_(std::move(fence)), counters_(counters) {}

  // `looks`: at the filter as it is now; else what its answers told is enough, as they came just
  // before. Throws SourceChanged where the filter is ahead, and what the place and the fence throw.
  // `known`: the proofs of those answers.
  JudgedFence ask(Proofs known, bool looks, const CallContext& context);

  // Whether a denial that came behind it counts, as far as the place itself can say.
  // `proofs`: what the denial rests on.
  bool counts(const JudgedFence& asked, const Proofs& proofs, const CallContext& context);
  // The same, and whether the database confirms it now. Throws what the fence throws.
  bool is_confirmed(const JudgedFence& asked, const Proofs& proofs, const CallContext& context);

 private:
  std::optional<std::uint64_t> read_filters(HistoryWatch::Before& before, Proofs& known,
                                            const CallContext& context);
  bool counts_by_told(const JudgedFence& asked, const CallContext& context);
  Fence fence_now(const CallContext& context);

  FilterPlace& place_;
  const AskFence fence_;
  CounterBoard& counters_;
  PerProcess<HistoryWatch> history_;
};

}  // namespace bloomery
