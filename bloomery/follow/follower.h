// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <utility>

#include "bloomery/filter/options.h"
#include "bloomery/follow/follower_status.h"
#include "bloomery/guard/cache.h"
#include "bloomery/place/filter_place.h"
#include "bloomery/source/change_source.h"

namespace bloomery {

class FilterStepper;
class FollowerAudit;
class FollowerEntries;
class RebuildSchedule;

// Options of a Follower.
struct FollowerOptions {
  // Options of the filters that the follower makes. `capacity` is the least that they have; `keys`
  // is how the source writes keys: as texts, unless it is said.
  FilterOptions filter{};
  double growth = 1.5;      // they have room for so many times the keys that are there
  double rebuild_at = 0.9;  // of a filter's capacity
  std::chrono::milliseconds patience{100};          // of one look at the source
  std::chrono::milliseconds flush_every{200};       // or ten times as long as that takes
  std::chrono::milliseconds look_every{2'000};      // at the filter, whether it is still that one
  std::chrono::milliseconds longest_pause{10'000};  // after failures, one after the other
  // Asks the filter back for one in so many of the rows that it reads (follower_audit.h), some of
  // them each time; 0: for none. Now and then also for some rows of the table, where the source can
  // draw such. A row that is denied makes it build the filter again, and until then nobody behind a
  // fence is told "absent".
  std::uint64_t audit_one_in = 0;
  std::chrono::milliseconds audit_every{1'000};
  // A cache, perhaps: what it knows of a row that comes, changes or goes is erased before the
  // watermark moves above that, and again from `erase_again_after` the end of its transaction on,
  // when everybody sees it (follower_entries.h). Of rows that are changed or go a source tells
  // that has ChangeOptions::tells_touched. Outlives the follower.
  EntryEraser* entries = nullptr;
  std::chrono::milliseconds erase_again_after{1'000};
};

// Keeps a filter in step with a table: makes it where none is, carries each change into it, and
// moves its watermark, which is never ahead of what is in it. Where the database cannot go on from
// that watermark, where the filter is too full, or where many of its rows are gone, the filter is
// built again beside the old one, whose watermark stays where it is or goes on, and takes its place
// in one step. One that cannot be made larger, by its settings or where it is, is not built again
// for being too full.
// Whatever fails is tried again, from the filter's own watermark.
//
// Two followers of one filter, one that was stopped and goes on, and whoever restores an old filter
// under it harm nobody: the watermark moves only in a filter that is as it was left.
//
// run() on one thread; the rest may be called from any. Source and place outlive it.
class Follower {
 public:
  // The clock of all its times.
  using Clock = std::chrono::steady_clock;

  // Borrows source and place. Throws std::invalid_argument for options out of range.
  Follower(ChangeSource& source, FilterPlace& place, const FollowerOptions& options);
  ~Follower();

  // Follows until it is stopped and the filter is flushed, and throws what makes the flush fail.
  // Throws std::invalid_argument for what does not work from the beginning, such as a table that is
  // not there, or a filter that cannot be made so large.
  void run(std::stop_token stop);
  // Follows until the filter has what was committed before the call, as the database's fence says.
  // A table that is altered or truncated meanwhile is read again, twice at the most. Throws what
  // fails, and CallAborted if it is stopped before.
  void run_once(std::stop_token stop, FenceSource& fence);

  // Builds the filter again, as soon as run() can.
  void rebuild() noexcept;

  // The watermark up to which the filter is known to have every key.
  std::optional<Watermark> watermark() const { return status().watermark; }
  // All that was committed before is in.
  std::optional<Clock::time_point> fresh_as_of() const { return status().fresh_as_of; }
  FollowerStatus status() const;

 private:
  using Keep = std::pair<Clock::time_point, Watermark>;

  // Aim: how far it is to come, if somebody says so.
  struct Aim {
    FenceSource* until = nullptr;
    Watermark wanted{};  // without a source: the first that comes
    // Rows that were there when it went on. Those that the database has yet to tell of are among
    // them, so they count once all of that has come.
    std::uint64_t rows = 0;
  };

  // Scan: what a new filter has got, and how far that is.
  struct Scan;

  bool follow(std::stop_token stop, FenceSource* until);
  void begin(Aim& aim, const CallContext& context);
  Watermark wanted_after_scan(FenceSource* until, const CallContext& context);
  bool poll(Aim& aim, const CallContext& context);
  std::string why_scan() const;
  void rebuild_beside(const CallContext& context, const Watermark& there);
  void scan(const CallContext& context, bool is_live, const Watermark& there = {});
  FilterOptions options_of_new(bool is_live);
  void scan_into_new(const CallContext& context, bool is_live, const Watermark& there);
  void read_into(Scan& scan, const Watermark& there, const CallContext& context);
  void take_in_scan(Scan& scan, const Changes& changes, const CallContext& context);
  std::unique_ptr<Rebuild> begin_new(FilterOptions wanted, const CallContext& context);
  void carry(const Changes& changes, Clock::time_point asked, const CallContext& context);
  void count_at_least(std::uint64_t rows);
  void erase_entries(const Changes& changes, const CallContext& context);
  void look(const CallContext& context);
  void audit(const CallContext& context);
  void keep(const CallContext& context);
  void end();
  void forget_and_show();
  void show_head();
  void failed(const std::string& why);
  void stand_by(std::stop_token stop);
  void pause(std::stop_token stop, std::chrono::milliseconds most);
  void update(auto change) {
    const std::lock_guard lock(mutex_);
    change(status_);
  }

  ChangeSource& source_;
  FilterPlace& place_;
  const FollowerOptions options_;

  // Members that only the thread in run() uses.
  const std::unique_ptr<FilterStepper> filter_;
  bool has_followed_ = false;
  Clock::time_point flush_at_{};
  Clock::time_point look_at_{};
  Clock::time_point audit_at_{};
  Clock::time_point draw_at_{};
  const std::unique_ptr<FollowerAudit> audit_;  // of keys that are in the filter as it was left
  Identity denied_{};                           // the filter that denied one
  const std::unique_ptr<RebuildSchedule> rebuilds_;
  const std::unique_ptr<FollowerEntries> entries_;
  Clock::time_point overtaken_at_{};
  std::chrono::milliseconds stand_by_for_{};
  std::deque<Keep> kept_;  // watermarks that are flushed, not yet confirmed
  std::minstd_rand random_{std::random_device()()};

  mutable std::mutex mutex_;
  FollowerStatus status_;
};

}  // namespace bloomery
