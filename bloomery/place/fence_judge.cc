// SPDX-License-Identifier: Apache-2.0
#include "bloomery/place/fence_judge.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "bloomery/place/fence_source.h"

namespace bloomery {

JudgedFence FenceJudge::ask(Proofs known, bool looks, const CallContext& context) {
  using enum HistoryWatch::Verdict;
  HistoryWatch& history = history_.get();
  HistoryWatch::Before before = history.begin(std::move(known));
  if (looks || before.must_look) look_at_place(before, context);
  std::optional<Watermark> first;
  while (true) {
    const Fence fence = fence_now(context);
    if (!first) first = fence.at_least;
    switch (history.judge(before, fence.at_least)) {
      case one_history:
        return {.fence = fence,
                .known = std::make_shared<const Proofs>(std::move(before.known)),
                .is_barred = before.is_barred};
      case look:
        look_at_place(before, context);
        continue;
      case lost:
        throw SourceChanged(place_.name() + ": its filter is ahead of the database (" +
                            std::to_string(before.known.highest_of(first->source)) +
                            ", which is at " + std::to_string(first->position) +
                            "), or was when it was last asked; so the database has lost rows, or "
                            "its log began anew; build the filter again");
    }
  }
}

// Looks at the place as it is now. If a part of it cannot be read, the proofs of earlier answers
// stay beside the new ones.
void FenceJudge::look_at_place(HistoryWatch::Before& before, const CallContext& context) {
  Proofs now;
  try {
    place_.ask({}, {}, now, context);
  } catch (const CallAborted&) {
    throw;
  } catch (const std::exception&) {
    now.add(Proof{});
  }
  before.has_looked = true;
  before.has_failed = now.is_empty() || std::ranges::any_of(now.all(), [](const Proof& each) {
                        return each.filter == 0;
                      });
  if (before.has_failed) {
    before.known.add(now);
  } else {
    before.known = std::move(now);
  }
}

Fence FenceJudge::fence_now(const CallContext& context) {
  counters_.add(&GuardCounters::fence_questions);
  Fence fence = fence_(context);
  if (!fence.at_least.source.is_set()) {
    refuse_nameless_fence(place_.name());
  }
  return fence;
}

bool FenceJudge::counts(const JudgedFence& asked, const Proofs& proofs) {
  const auto is_known = [&](const Proof& each) { return asked.known->has_filter_of(each); };
  return !asked.is_barred && !proofs.is_empty() && std::ranges::all_of(proofs.all(), is_known);
}

bool FenceJudge::is_confirmed(const JudgedFence& asked, const Proofs& proofs,
                              const CallContext& context) {
  const Watermark& fence = asked.fence.at_least;
  const Watermark risen{fence.source, proofs.highest_of(fence.source)};
  if (asked.fence.names_history || risen.position <= fence.position) return true;
  const Watermark now = fence_now(context).at_least;
  history_.get().note(now);
  return now.reaches(risen);
}

}  // namespace bloomery
