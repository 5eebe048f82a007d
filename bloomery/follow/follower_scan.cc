// SPDX-License-Identifier: Apache-2.0
// How a follower fills a new filter by a scan.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "bloomery/follow/filter_stepper.h"
#include "bloomery/follow/follower.h"
#include "bloomery/follow/follower_audit.h"
#include "bloomery/follow/rebuild_schedule.h"

namespace bloomery {
namespace {

using namespace std::chrono_literals;

constexpr auto kPollInScan = 50ms;
constexpr std::uint64_t kFewestKeys = 1000;

}  // namespace

struct Follower::Scan {
  Rebuild& next;
  FollowerAudit audit;
  bool is_live;  // the old filter gets every change too
  std::uint64_t key_count = 0;
  std::optional<Watermark> reached{};
  bool has_open = false;
  Clock::time_point asked = Clock::now();
};

void Follower::rebuild_beside(const CallContext& context, const Watermark& there) {
  const auto began = Clock::now();
  try {
    scan(context, /*is_live=*/true, there);
  } catch (const Overtaken&) {
    throw;
  } catch (...) {
    rebuilds_->failed(began, Clock::now());
    throw;
  }
  rebuilds_->succeeded();
}

// Whatever it is for, it is the rebuild that somebody asked for.
void Follower::scan(const CallContext& context, bool is_live, const Watermark& there) {
  rebuilds_->run([&, this] { scan_into_new(context, is_live, there); });
}

// Begins a filter of the wanted capacity, or of the present filter's if none can be so large.
std::unique_ptr<Rebuild> Follower::begin_new(FilterOptions wanted, const CallContext& context) {
  try {
    return place_.begin_rebuild(wanted, context);
  } catch (const std::invalid_argument&) {
    const std::uint64_t there = filter_->head().parameters.capacity;
    if (there == 0 || there >= wanted.capacity) throw;
    wanted.capacity = there;
  }
  return place_.begin_rebuild(wanted, context);
}

// The new filter has room for the rows that are there and for more, but never less than is wanted.
FilterOptions Follower::options_of_new(bool is_live) {
  FilterOptions wanted = options_.filter;
  const double room = std::max(options_.growth, 1.2 / options_.rebuild_at);
  // A source that cannot say how many there are has shown some.
  const std::uint64_t seen = is_live ? status().key_count : 0;
  const double count = room * static_cast<double>(source_.expected_count().value_or(seen));
  wanted.capacity =
      std::max({wanted.capacity, kFewestKeys, static_cast<std::uint64_t>(std::ceil(count))});
  return wanted;
}

// The new filter gets every row of the scan and every change meanwhile; so does the old one, while
// its watermark still moves. What has changed up to `there`, the scan counts.
void Follower::scan_into_new(const CallContext& context, bool is_live, const Watermark& there) {
  update([](FollowerStatus& status) { status.state = FollowerStatus::State::scanning; });
  const FilterOptions wanted = options_of_new(is_live);
  const auto next = begin_new(wanted, context);
  Scan scan{.next = *next, .audit = FollowerAudit(options_.audit_one_in), .is_live = is_live};
  read_into(scan, there, context);
  bool keeps_watermark = true;
  try {
    next->commit_at(*scan.reached, context);
  } catch (const std::invalid_argument&) {
    next->commit(context);
    keeps_watermark = false;
  }
  kept_.clear();
  const bool is_there = filter_->begin_new(*scan.reached, scan.has_open, keeps_watermark, context);
  show_head();
  scan.audit.begin(place_, filter_->head(), context);
  *audit_ = std::move(scan.audit);
  if (!scan.has_open) audit_->settle();
  update([&](FollowerStatus& status) {
    ++status.rebuilds;
    status.key_count = scan.key_count;
    status.cannot_grow = status.capacity > 0 && status.capacity < wanted.capacity;
    status.deleted = 0;
    status.fresh_as_of = scan.asked;
  });
  if (!is_there) throw Overtaken(place_.name() + ": another filter has taken the new one's place");
}

// All rows, and all changes up to a watermark behind them.
void Follower::read_into(Scan& scan, const Watermark& there, const CallContext& context) {
  const auto take = [&](const Changes& changes) { take_in_scan(scan, changes, context); };
  // Changes from before the scan are of rows that it reads, or that are gone.
  while (scan.is_live) {
    source_.poll(take, 0ms, context);
    const bool is_another = scan.reached && scan.reached->source != there.source;
    if (!there.source.is_set() || is_another || (scan.reached && scan.reached->reaches(there))) {
      break;
    }
  }
  scan.key_count = 0;
  const SourceTotals scanned = source_.scan(
      [&](const Batch& batch) {
        scan.next.insert_many(batch.keys, context);
        scan.audit.take(batch.keys);
        update([&](FollowerStatus& status) { status.scanned += batch.keys.size(); });
        if (Clock::now() - scan.asked < kPollInScan) return true;
        scan.asked = Clock::now();
        source_.poll(take, 0ms, context);
        return true;
      },
      context);
  scan.key_count += scanned.key_count;
  scan.reached.reset();
  while (!scan.reached) {
    scan.asked = Clock::now();
    source_.poll(take, options_.patience, context);
  }
}

void Follower::take_in_scan(Scan& scan, const Changes& changes, const CallContext& context) {
  scan.next.insert_many(changes.keys, context);
  scan.audit.take(changes.keys);
  scan.key_count += changes.keys.size();
  if (scan.is_live) {
    try {
      carry(changes, scan.asked, context);
    } catch (const Overtaken&) {
      // The old one is somebody else's by now, and this one whole without it.
      scan.is_live = false;
    }
  } else {
    erase_entries(changes, context);
  }
  if (changes.watermark) scan.reached = changes.watermark;
  scan.has_open = changes.has_open;
}

}  // namespace bloomery
