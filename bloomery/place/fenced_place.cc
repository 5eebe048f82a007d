// SPDX-License-Identifier: Apache-2.0
#include "bloomery/place/fenced_place.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "bloomery/os/clock.h"
#include "bloomery/place/recent_fences.h"
#include "bloomery/place/stalled_fence.h"

namespace bloomery {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// Most watermarks are there within 0.3 ms.
constexpr microseconds kFirstPause{50};
constexpr microseconds kLongestPause{1'000};

FencedOptions checked_options(const FilterPlace& place, const AskFence& fence,
                              FencedOptions options) {
  if (!fence) throw std::invalid_argument(place.name() + ": nothing says how far its database is");
  if (options.budget < milliseconds(0) || options.longest_wait < milliseconds(0) || !options.now) {
    throw std::invalid_argument(place.name() +
                                ": budget and longest_wait are times from 0 on, and `now` is a "
                                "clock");
  }
  options.budget = std::min(options.budget, kForever);
  options.longest_wait = std::min(options.longest_wait, kForever);
  return options;
}

bool denies(std::span<const Presence> answers) noexcept {
  return std::ranges::find(answers, Presence::absent) != answers.end();
}

void take_back(std::span<Presence> answers) {
  std::ranges::replace(answers, Presence::absent, Presence::unknown);
}

CallContext behind(const Fence& fence, const CallContext& context) {
  CallContext fenced = context;
  fenced.fence = &fence;
  return fenced;
}

}  // namespace

CallContext::Clock::time_point time_awake_or_not() noexcept {
  return CallContext::Clock::time_point(std::chrono::duration_cast<CallContext::Clock::duration>(
      std::chrono::nanoseconds(os::running_clock())));
}

struct FencedPlace::Mine {
  StalledFence stalled{};
  RecentFences recent{};
  std::mutex renewing{};                      // by one, where the others need not wait
  std::atomic<Clock::rep> renew_again_at{0};  // after a failure
};

FencedPlace::FencedPlace(FilterPlace& place, AskFence fence, const FencedOptions& options,
                         std::unique_ptr<CounterBoard> own, CounterBoard* counters)
    : PlaceInFront(place),
      options_(checked_options(place, fence, options)),
      own_counters_(std::move(own)),
      counters_(counters != nullptr ? *counters : *own_counters_),
      judge_(place, std::move(fence), counters_),
      gathering_([this](std::span<const Key> keys, std::span<Undecided> questions,
                        const CallContext& context) { decide_gathered(keys, questions, context); },
                 Undecided(), {.name = place.name(), .timeout = std::chrono::hours(1)}) {}

FencedPlace::FencedPlace(FilterPlace& place, AskFence fence, const FencedOptions& options,
                         CounterBoard& counters)
    : FencedPlace(place, std::move(fence), options, nullptr, &counters) {}

FencedPlace::FencedPlace(FilterPlace& place, AskFence fence, const FencedOptions& options)
    : FencedPlace(place, std::move(fence), options, std::make_unique<CounterBoard>(), nullptr) {}

FencedPlace::~FencedPlace() = default;

void FencedPlace::ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
                      const CallContext& context) {
  require_room(keys, answers);
  require_fence(context);
  if (keys.empty()) return place_.ask(keys, answers, proofs, context);
  if (context.fence != nullptr) {
    ask_behind(*context.fence, keys, answers, proofs, context);
    return count_denials(answers);
  }
  if (options_.budget == milliseconds(0)) return ask_strictly(keys, answers, proofs, context);
  ask_within_budget(keys, answers, proofs, context);
}

Presence FencedPlace::ask_one(Key key, Proofs& proofs, const CallContext& context) {
  const bool is_strict = context.fence == nullptr && options_.budget == milliseconds(0);
  if (!is_strict || mine_.get().stalled.is_there()) [[unlikely]] {
    Presence answer = Presence::unknown;
    ask({&key, 1}, {&answer, 1}, proofs, context);
    return answer;
  }
  Undecided mine;
  mine.answer = place_.ask_one(key, mine.proofs, context);
  if (mine.answer == Presence::maybe) {
    proofs.add(mine.proofs);
    return mine.answer;
  }
  const auto began = Clock::now();
  mine = gathering_.ask(key, std::move(mine), context);
  waits_.add(Clock::now() - began);
  proofs.add(mine.proofs);
  return mine.answer;
}

void FencedPlace::ask_strictly(std::span<const Key> keys, std::span<Presence> answers,
                               Proofs& proofs, const CallContext& context) {
  StalledFence& stalled = mine_.get().stalled;
  const std::optional<Fence> old = stalled.get();
  const bool is_hopeless = old && stalled.gave_up();
  std::vector<Presence> first(keys.size(), Presence::unknown);
  Proofs known;
  place_.ask(keys, first, known, old ? behind(*old, context) : context);
  std::vector<std::size_t> undecided;
  std::vector<Key> asked;
  std::size_t skipped = 0;
  std::optional<bool> tries;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (first[i] == Presence::maybe) {
      answers[i] = Presence::maybe;
      continue;
    }
    // A key that is `unknown` behind the old fence is so behind a new one. Only a call that tries
    // (StalledFence::may_try) asks for it all the same.
    if (is_hopeless && first[i] == Presence::unknown) {
      if (!tries) tries = stalled.may_try();
      if (!*tries) {
        ++skipped;
        continue;
      }
    }
    // The watermark moves, so a caller waits for something.
    if (old && first[i] == Presence::absent) stalled.forget();
    undecided.push_back(i);
    asked.push_back(keys[i]);
  }
  if (skipped != 0) counters_.add(&GuardCounters::fence_skips, skipped);
  if (undecided.empty()) return proofs.add(known);
  const auto began = Clock::now();
  std::vector<Presence> said(undecided.size(), Presence::unknown);
  const auto hand_over = [&] {
    for (std::size_t i = 0; i < said.size(); ++i) answers[undecided[i]] = said[i];
    proofs.add(known);
  };
  try {
    decide(asked, said, known, context);
  } catch (...) {
    hand_over();
    throw;
  }
  hand_over();
  waits_.add(Clock::now() - began);
}

// Decides gathered questions together behind one fence. The proofs of all questions may be compared
// with it, because they were read before it is asked for.
void FencedPlace::decide_gathered(std::span<const Key> keys, std::span<Undecided> questions,
                                  const CallContext& context) {
  Proofs proofs;
  for (const Undecided& each : questions) proofs.add(each.proofs);
  std::vector<Presence> answers(keys.size(), Presence::unknown);
  decide(keys, answers, proofs, context);
  for (std::size_t i = 0; i < keys.size(); ++i) questions[i] = {answers[i], proofs};
}

// Everybody whose keys these are has asked the place before, with these proofs; those of the
// answers are added. The answers come in as `unknown`.
void FencedPlace::decide(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
                         const CallContext& context) {
  if (decide_once(keys, answers, proofs, context)) return;
  // Something is known by now of the filter that came in between.
  std::ranges::fill(answers, Presence::unknown);
  decide_once(keys, answers, proofs, context);
}

// False where a denial was taken back.
bool FencedPlace::decide_once(std::span<const Key> keys, std::span<Presence> answers,
                              Proofs& proofs, const CallContext& context) {
  const JudgedFence asked = asked_now(keys.size(), proofs, context);
  bool stands = false;
  Proofs behind_it;
  try {
    ask_behind(asked.fence, keys, answers, behind_it, context);
    stands = !denies(answers) ||
             (judge_.counts(asked, behind_it) && judge_.is_confirmed(asked, behind_it, context));
  } catch (...) {
    take_back(answers);
    throw;
  }
  if (!stands) take_back(answers);
  proofs.add(behind_it);
  count_denials(answers);
  return stands;
}

void FencedPlace::ask_within_budget(std::span<const Key> keys, std::span<Presence> answers,
                                    Proofs& proofs, const CallContext& context) {
  if (!ask_recent(keys, answers, proofs, context) && mine_.get().stalled.may_try()) {
    std::ranges::fill(answers, Presence::unknown);
    renew(options_.now(), context);
    ask_recent(keys, answers, proofs, context);
  }
  count_denials(answers);
  const auto unknowns = std::ranges::count(answers, Presence::unknown);
  if (unknowns != 0) counters_.add(&GuardCounters::fence_behind, unknowns);
}

// False where a denial was taken back.
bool FencedPlace::ask_recent(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
                             const CallContext& context) {
  const JudgedFence asked = recent_fence(context);
  const CallContext fenced = behind(asked.fence, context);
  Proofs behind_it;
  try {
    if (keys.size() == 1) {
      answers[0] = place_.ask_one(keys[0], behind_it, fenced);
    } else {
      place_.ask(keys, answers, behind_it, fenced);
    }
  } catch (...) {
    take_back(answers);
    throw;
  }
  proofs.add(behind_it);
  const bool stands = !denies(answers) || judge_.counts(asked, behind_it);
  if (!stands) take_back(answers);
  return stands;
}

void FencedPlace::count_denials(std::span<const Presence> answers) {
  const auto absents = std::ranges::count(answers, Presence::absent);
  if (absents != 0) counters_.add(&GuardCounters::fenced, absents);
}

// Strictly the place was asked just before, with these proofs. Within a budget that may be long
// ago, and so is the last fence.
JudgedFence FencedPlace::asked_now(std::size_t key_count, Proofs known,
                                   const CallContext& context) {
  try {
    return judge_.ask(std::move(known), /*looks=*/options_.budget != milliseconds(0), context);
  } catch (...) {
    counters_.add(&GuardCounters::fence_failures, key_count);
    throw;
  }
}

void FencedPlace::ask_behind(const Fence& fence, std::span<const Key> keys,
                             std::span<Presence> answers, Proofs& proofs,
                             const CallContext& context) {
  StalledFence& stalled = mine_.get().stalled;
  const CallContext fenced = behind(fence, context);
  place_.ask(keys, answers, proofs, fenced);
  const bool waits = std::ranges::count(answers, Presence::unknown) != 0;
  // A fence that has stalled for long (StalledFence::gave_up) is not waited for any more: the
  // callers before have done so in vain.
  const bool has_come = !waits || (!stalled.gave_up() && wait_for(fenced, keys, answers, proofs));
  if (!has_come) {
    counters_.add(why_unknown(fence, context), std::ranges::count(answers, Presence::unknown));
    // A call whose time is over has not waited enough to show a stall.
    if (!context.is_over()) stalled.note(fence);
  }
  if (!waits && denies(answers)) stalled.forget();
}

// Asks again until nothing is unknown. False where time was over before.
bool FencedPlace::wait_for(const CallContext& fenced, std::span<const Key> keys,
                           std::span<Presence> answers, Proofs& proofs) {
  const auto until = std::min(fenced.deadline, Clock::now() + options_.longest_wait);
  std::vector<Presence> again(keys.size(), Presence::unknown);
  microseconds pause = kFirstPause;
  for (;;) {
    const auto left = std::ranges::find(answers, Presence::unknown);
    if (left == answers.end()) return true;
    if (fenced.stop.stop_requested() || Clock::now() >= until) return false;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 3 / 2, kLongestPause);
    // One of them tells whether it is worth while to ask for all.
    const auto at = static_cast<std::size_t>(left - answers.begin());
    const Presence one = place_.ask_one(keys[at], proofs, fenced);
    if (one == Presence::unknown) continue;
    answers[at] = one;
    if (std::ranges::find(answers, Presence::unknown) == answers.end()) return true;
    std::ranges::fill(again, Presence::unknown);
    place_.ask(keys, again, proofs, fenced);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (answers[i] == Presence::unknown) answers[i] = again[i];
    }
  }
}

CounterBoard::Counter FencedPlace::why_unknown(const Fence& fence, const CallContext& context) {
  try {
    const PlaceHead head = place_.head(context);
    if (head.no_absent != NoAbsent::none) return &GuardCounters::fence_unready;
    if (!head.watermark || head.watermark->source != fence.at_least.source) {
      return &GuardCounters::fence_foreign;
    }
    return &GuardCounters::fence_behind;
  } catch (const std::exception&) {  // it has been lost, or is away
    return &GuardCounters::fence_unready;
  }
}

JudgedFence FencedPlace::recent_fence(const CallContext& context) {
  Mine& mine = mine_.get();
  const auto now = options_.now();
  const auto [oldest, is_due] = mine.recent.find(now, options_.budget);
  if (!oldest) return renew(now, context);
  if (is_due) try_to_renew(now, context);
  return *oldest;
}

// One does it; the others have the old one, and so has he where it fails or takes long.
void FencedPlace::try_to_renew(Clock::time_point now, const CallContext& context) {
  Mine& mine = mine_.get();
  if (now.time_since_epoch().count() < mine.renew_again_at.load(std::memory_order_relaxed)) return;
  const std::unique_lock lock(mine.renewing, std::try_to_lock);
  if (!lock.owns_lock()) return;
  const auto while_ = options_.budget / (2 * RecentFences::kInBudget);
  CallContext hurried = context;
  hurried.deadline = std::min(context.deadline, Clock::now() + while_);
  try {
    renew(now, hurried);
  } catch (const std::exception&) {
    mine.renew_again_at.store((now + while_).time_since_epoch().count(), std::memory_order_relaxed);
  }
}

JudgedFence FencedPlace::renew(Clock::time_point now, const CallContext& context) {
  const JudgedFence asked = asked_now(0, {}, context);
  mine_.get().recent.add(asked, now);
  return asked;
}

}  // namespace bloomery
