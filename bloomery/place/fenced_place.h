// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bloomery/bits/per_process.h"
#include "bloomery/place/fence_judge.h"
#include "bloomery/place/gathering.h"
#include "bloomery/place/guard_counters.h"
#include "bloomery/place/place_in_front.h"
#include "bloomery/place/wait_times.h"

namespace bloomery {

// The time that does not stand still while the machine sleeps, as steady_clock's does.
CallContext::Clock::time_point time_awake_or_not() noexcept;

// Options of a FencedPlace.
struct FencedOptions {
  // Zero: an "absent" stands behind a fence that was asked after the question began. Otherwise
  // rows that were committed so long before the question are seen, and others may not be.
  std::chrono::milliseconds budget{0};
  // How long a question waits for the watermark to come to the fence.
  std::chrono::milliseconds longest_wait{20};
  std::function<CallContext::Clock::time_point()> now = time_awake_or_not;  // tests bring their own
};

// A place in front of which rows are written past this program, and which somebody keeps in step
// with the database (a Follower): it says "absent" only where the place's watermark has come to how
// far the database is. All else is as the place is.
//
// Strict: the place is asked first, and what it may have costs nothing more. For what it denies the
// fence is asked, for all who ask at that moment together, and then the place again, behind it.
// Where the watermark is not there yet the question waits for it, and says `unknown` in the end.
// Where it has stood still for half a second nobody waits or asks the database any more, but one in
// a while who tries, until it moves.
//
// A budget: the fence is asked a few times in it, and the place behind the oldest fence that is
// still within. Ages are by this process's own clock, from before a fence was asked: no clock or
// beat of anybody else has a part in it.
//
// A filter that is ahead of its database says nothing either: the question throws SourceChanged,
// until it was built again. Which denials count at all, FenceJudge says.
//
// A question that brings its own fence (CallContext::fence) is asked behind that, and waits as
// above. A child of fork() knows nothing of what its parent's threads were doing. Borrows the
// place. All calls may run together. Throws what the place and the fence throw; the answers so far
// are true then.
class FencedPlace final : public PlaceInFront {
 public:
  // Counts what it does in `counters`, which outlive it, or in its own. Throws
  // std::invalid_argument without a fence, or for times below zero.
  FencedPlace(FilterPlace& place, AskFence fence, const FencedOptions& options,
              CounterBoard& counters);
  FencedPlace(FilterPlace& place, AskFence fence, const FencedOptions& options = {});
  ~FencedPlace() override;

  // Ask as the class says.
  void ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
           const CallContext& context = {}) override;
  Presence ask_one(Key key, Proofs& proofs, const CallContext& context = {}) override;

  // Returns how long absent keys took in strict mode: from the first "absent" of the place to the
  // last word, with the fence's question.
  const WaitTimes& waits() const noexcept { return waits_; }
  GuardCounters counters() const noexcept { return counters_.snapshot(); }

 private:
  using Clock = CallContext::Clock;
  struct Recent;
  struct Mine;  // what it knows, and its locks

  FencedPlace(FilterPlace& place, AskFence fence, const FencedOptions& options,
              std::unique_ptr<CounterBoard> own, CounterBoard* counters);

  // A question that the place did not answer with `maybe`, and what its answer rested on; then the
  // answer behind the fence, and what that rests on.
  struct Undecided {
    Presence answer = Presence::unknown;
    Proofs proofs{};
  };

  void ask_strictly(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
                    const CallContext& context);
  void decide_gathered(std::span<const Key> keys, std::span<Undecided> questions,
                       const CallContext& context);
  void decide(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
              const CallContext& context);
  bool decide_once(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
                   const CallContext& context);
  void ask_within_budget(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
                         const CallContext& context);
  bool ask_recent(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
                  const CallContext& context);
  void ask_behind(const Fence& fence, std::span<const Key> keys, std::span<Presence> answers,
                  Proofs& proofs, const CallContext& context);
  void count_denials(std::span<const Presence> answers);
  bool wait_for(const CallContext& behind, std::span<const Key> keys, std::span<Presence> answers,
                Proofs& proofs);
  CounterBoard::Counter why_unknown(const Fence& fence, const CallContext& context);
  JudgedFence asked_now(std::size_t key_count, Proofs known, const CallContext& context);
  JudgedFence recent_fence(const CallContext& context);
  JudgedFence renew(Clock::time_point now, const CallContext& context);
  void try_to_renew(Clock::time_point now, const CallContext& context);

  const FencedOptions options_;
  std::unique_ptr<CounterBoard> own_counters_;
  CounterBoard& counters_;
  FenceJudge judge_;
  WaitTimes waits_;
  PerProcess<Mine> mine_;

  Gathering<Undecided> gathering_;
};

}  // namespace bloomery
