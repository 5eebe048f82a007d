#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bloomery/guard/fail_open_filter.h"
#include "bloomery/guard/guard_counters.h"
#include "bloomery/guard/guard_options.h"
#include "bloomery/guard/pending_inserts.h"
#include "bloomery/hash/integer_hash.h"

namespace bloomery {

// Draws the absent keys that are asked of the database all the same, and judges the filter by those
// that it has: not by what it said before (an insert may have come between), but by what it says
// once the row must be in it, which is after the insert's token is over and behind a fence from
// after the query. If it still denies the row, the filter is doubted from then on. Borrows what it
// is given but for the options. All calls may run together.
class FilterAudit {
 public:
  FilterAudit(FailOpenFilter& filter, const PendingInserts& pending, CounterBoard& counters,
              const GuardOptions& options)
      : filter_(filter),
        pending_(pending),
        counters_(counters),
        // What a random number stays below once in so many.
        threshold_(options.audit_every == 0 ? 0 : UINT64_MAX / options.audit_every),
        fence_(options.fence) {}

  // Whether the next absent key is one of them: one in `audit_every`, at random.
  bool is_due() const noexcept { return threshold_ != 0 && draw() <= threshold_; }

  // The database has rows for keys that the filter had called absent.
  void examine(std::span<const Key> keys, const CallContext& context) noexcept;

  // Judges what could not be judged before. A load where there is nothing.
  void look_again(const CallContext& context) noexcept;

  void forget() noexcept;

 private:
  struct Suspect {
    std::string key;
    std::optional<Fence> fence;
  };
  enum class Verdict { right, wrong, open };

  static constexpr std::size_t kMostSuspects = 64;

  // SplitMix64 of a thread's own counter. Nobody gains by guessing it.
  static std::uint64_t draw() noexcept {
    constinit thread_local std::uint64_t state = 0;
    state += IntegerHash::kOffset;
    return IntegerHash::hash(state, 0).h1;
  }

  Verdict judge(const Suspect& suspect, const CallContext& context) const;

  FailOpenFilter& filter_;
  const PendingInserts& pending_;
  CounterBoard& counters_;
  const std::uint64_t threshold_;
  const std::function<Fence(const CallContext&)> fence_;

  std::mutex mutex_;
  std::vector<Suspect> suspects_;
  std::atomic<std::size_t> suspect_count_{0};
};

}  // namespace bloomery
