// SPDX-License-Identifier: Apache-2.0
#include "bloomery/place/fence_judge.h"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/place/fence_source.h"
#include "bloomery/place/proof_comparison.h"

namespace bloomery {
namespace {

// How often the place is looked at where each time another filter is there.
constexpr int kLooks = 3;

std::uint64_t highest_of(const std::vector<Watermark>& all, const Identity& source) noexcept {
  std::uint64_t highest = 0;
  for (const Watermark& each : all) {
    if (each.source == source) highest = std::max(highest, each.position);
  }
  return highest;
}

}  // namespace

JudgedFence FenceJudge::ask(Proofs known, bool looks, const CallContext& context) {
  using enum HistoryWatch::Verdict;
  HistoryWatch& history = history_.get();
  HistoryWatch::Before before = history.begin();
  before.has_looked = looks || history.must_look();
  std::optional<Watermark> first;
  while (true) {
    before.filters = read_filters(before, known, context);
    const Fence fence = fence_now(context);
    if (!first) first = fence.at_least;
    switch (history.judge(before, fence.at_least)) {
      case one_history:
        return {.fence = fence,
                .filters = before.filters,
                .is_barred = before.is_barred,
                .known = std::make_shared<const Proofs>(std::move(known))};
      case look:
        before.has_looked = true;
        continue;
      case lost:
        throw SourceChanged(place_.name() + ": its filter is ahead of the database (" +
                            std::to_string(highest_of(before.read, first->source)) +
                            ", which is at " + std::to_string(first->position) +
                            "), or was when it was last asked; so the database has lost rows, or "
                            "its log began anew; build the filter again");
    }
  }
}

// Which they are; none where the place cannot say. What its answers said counts then, and where it
// was ahead, it is so until it says otherwise.
std::optional<std::uint64_t> FenceJudge::read_filters(HistoryWatch::Before& before,
                                                      Proofs& known, const CallContext& context) {
  before.has_failed = false;
  try {
    for (int i = 0; i < kLooks; ++i) {
      Told told = place_.told(before.has_looked ? Telling::filters : Telling::all, context);
      if (before.has_looked) {
        Proofs now;
        place_.ask({}, {}, now, context);
        for (const Proof& each : now.all()) {
          if (each.watermark) told.watermarks.push_back(*each.watermark);
        }
        known = std::move(now);
      }
      before.read = std::move(told.watermarks);
      if (!before.has_looked || told.filters == place_.told(Telling::filters, context).filters) {
        return told.filters;
      }
    }
    return std::nullopt;
  } catch (const CallAborted&) {
    throw;
  } catch (const std::exception&) {
    before.has_failed = true;
  }
  try {
    before.read = place_.told(Telling::all, context).watermarks;
  } catch (const CallAborted&) {
    throw;
  } catch (const std::exception&) {
    before.read.clear();
  }
  before.read.insert(before.read.end(), before.proven.begin(), before.proven.end());
  return std::nullopt;
}

Fence FenceJudge::fence_now(const CallContext& context) {
  counters_.add(&GuardCounters::fence_questions);
  return fence_(context);
}

bool FenceJudge::counts(const JudgedFence& asked, const Proofs& proofs,
                        const CallContext& context) {
  if (asked.is_barred) return false;
  const bool by_proof = !proofs.is_empty() &&
                        std::ranges::all_of(proofs.all(), [&](const Proof& each) {
                          return asked.known->has_filter_of(each);
                        });
  const bool by_told = counts_by_told(asked, context);
  ProofComparison::decided(by_told, by_proof);
  return by_told;
}

// Where nothing could be read the answers' own watermarks say it.
bool FenceJudge::counts_by_told(const JudgedFence& asked, const CallContext& context) {
  try {
    if (asked.filters) return *asked.filters == place_.told(Telling::filters, context).filters;
    const Watermark& fence = asked.fence.at_least;
    return highest_of(place_.told(Telling::all, context).watermarks, fence.source) <=
           fence.position;
  } catch (const std::exception&) {
    return false;
  }
}

bool FenceJudge::is_confirmed(const JudgedFence& asked, const Proofs& proofs,
                              const CallContext& context) {
  if (asked.fence.names_history) return true;
  const Watermark& fence = asked.fence.at_least;
  Watermark risen = fence;
  try {
    const auto told = place_.told(Telling::all, context).watermarks;
    risen.position = highest_of(told, fence.source);
  } catch (const std::exception&) {
    return false;
  }
  // What other answers have told meanwhile may be higher.
  ProofComparison::decided(risen.position <= fence.position,
                           proofs.highest_of(fence.source) <= fence.position);
  return risen.position <= fence.position || fence_now(context).at_least.reaches(risen);
}

}  // namespace bloomery
