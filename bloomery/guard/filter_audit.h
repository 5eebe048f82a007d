// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/guard/fail_open_filter.h"
#include "bloomery/guard/guard_options.h"
#include "bloomery/guard/pending_inserts.h"
#include "bloomery/guard/random_draws.h"
#include "bloomery/place/guard_counters.h"

namespace bloomery {

// Draws the absent keys that are asked of the database all the same, and judges the filter by those
// that it has: not by what it said before (an insert may have come between), but by what it says
// once the row must be in it, which is after the insert's token is over and behind a fence from
// after the query. If it still denies a row that is still there, the filter is doubted from then
// on. Rows that come or go meanwhile prove nothing: a rebuild that was scanned between a row's
// deletion and its return owes neither. Borrows what it is given but for options and
// `row_is_there`. All calls may run together.
class FilterAudit {
  struct Suspect;

 public:
  // RowIsThere: whether the database has a row, or nothing where it cannot be asked now.
  using RowIsThere = std::function<std::optional<bool>(Key, const CallContext&)>;

  FilterAudit(FailOpenFilter& filter, const PendingInserts& pending, CounterBoard& counters,
              const GuardOptions& options, RowIsThere row_is_there)
      : filter_(filter),
        pending_(pending),
        counters_(counters),
        draws_(options.audit_every),
        fence_(options.fence),
        row_is_there_(std::move(row_is_there)) {}

  // Returns whether the next absent key is to be audited: one in `audit_every`, at random.
  bool is_due() noexcept { return draws_.next(); }

  // Absent keys about to be asked of the database: from here on it counts what becomes of their
  // rows. Those that it does not convict of are let go at its end.
  class Inquiry {
   public:
    Inquiry(FilterAudit& audit, std::span<const Key> keys) noexcept;
    Inquiry(const Inquiry&) = delete;
    Inquiry& operator=(const Inquiry&) = delete;
    ~Inquiry();

    // The database has rows for the keys at these positions, and for no others.
    void found(std::span<const std::size_t> positions, const CallContext& context) noexcept;

   private:
    FilterAudit& audit_;
    std::vector<std::shared_ptr<Suspect>> suspects_;
  };

  // Judges what could not be judged before. A load where there is nothing.
  void look_again(const CallContext& context) noexcept;

  // Rows of these keys come or go: what was seen of them before says nothing any more. A load where
  // there is nothing.
  void forget(std::span<const Key> keys) noexcept;
  void forget_all() noexcept;

 private:
  struct Suspect {
    std::string key;
    std::optional<Fence> fence{};
    bool found = false;         // its row
    bool being_judged = false;  // by one thread
  };
  enum class Verdict { right, wrong, open };

  static constexpr std::size_t kMostFound = 64;

  Verdict judge(const Suspect& suspect, const CallContext& context) const;
  void settle(const std::shared_ptr<Suspect>& suspect, Verdict verdict) noexcept;
  // The caller of both holds the lock. remove() is false if somebody forgot the suspect before.
  std::size_t found_count() const noexcept;
  bool remove(const std::shared_ptr<Suspect>& suspect) noexcept;

  FailOpenFilter& filter_;
  const PendingInserts& pending_;
  CounterBoard& counters_;
  RandomDraws draws_;
  const std::function<Fence(const CallContext&)> fence_;
  const RowIsThere row_is_there_;

  std::mutex mutex_;
  std::vector<std::shared_ptr<Suspect>> suspects_;
  std::atomic<std::size_t> suspect_count_{0};
};

}  // namespace bloomery
