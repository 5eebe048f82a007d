// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <span>

#include "bloomery/guard/breaker.h"
#include "bloomery/guard/guard_options.h"
#include "bloomery/place/filter_place.h"
#include "bloomery/place/guard_counters.h"

namespace bloomery {

// A filter whose failures are answers: an exception is counted and becomes `unknown`, for the keys
// that it said nothing about. One that failed several times in a row is left alone for a while, and
// one that is in doubt is not believed: all is `unknown` then. Borrows filter and counters.
class FailOpenFilter {
 public:
  FailOpenFilter(FilterPlace& filter, CounterBoard& counters, const GuardOptions& options)
      : filter_(filter),
        counters_(counters),
        breaker_(options.failures_in_a_row, options.failure_pause) {}

  // The way of an absent key: three loads beside what the filter costs.
  Presence ask(Key key, const CallContext& context) noexcept {
    if (!breaker_.is_calm() || is_doubted()) [[unlikely]]
      return ask_in_trouble(key, context);
    try {
      const Presence answer = filter_.presence_of(key, context);
      if (answer != Presence::unknown) [[likely]]
        return answer;
    } catch (...) {
      failed(context);
    }
    return unknown();
  }
  void ask_many(std::span<const Key> keys, std::span<Presence> answers,
                const CallContext& context) noexcept {
    ask_many_by(answers, context, [&, this] { filter_.presence_of_many(keys, answers, context); });
  }
  // Asks as ask_many() does, by `ask`, which asks the filter, or one that stands for it, and
  // answers all.
  template <class Ask>
  void ask_many_by(std::span<Presence> answers, const CallContext& context, Ask ask) noexcept {
    // A key that the filter gives no answer about stays `unknown`.
    std::ranges::fill(answers, Presence::unknown);
    if (may_ask()) {
      try {
        ask();
        breaker_.succeeded();
      } catch (...) {
        failed(context);
      }
    }
    count_unknowns(answers);
  }

  // Asks the filter itself, whoever doubts it; counts no unknown answers.
  Presence ask_again(Key key, const CallContext& context) noexcept;

  // Inserting has no such way out: always asks the filter, and throws what it throws, counted.
  void insert_many(std::span<const Key> keys, const CallContext& context);

  void doubt(bool doubted) noexcept { doubted_.store(doubted, std::memory_order_release); }
  bool is_doubted() const noexcept { return doubted_.load(std::memory_order_acquire); }

 private:
  Presence ask_in_trouble(Key key, const CallContext& context) noexcept;
  void count_unknowns(std::span<const Presence> answers) noexcept;
  Presence unknown() noexcept;
  bool may_ask() noexcept;
  void failed(const CallContext& context) noexcept;

  FilterPlace& filter_;
  CounterBoard& counters_;
  Breaker breaker_;
  std::atomic<bool> doubted_{false};
};

}  // namespace bloomery
