// SPDX-License-Identifier: Apache-2.0
// How a follower fills a new filter by a scan.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "bloomery/follow/follower.h"

namespace bloomery {
namespace {

using namespace std::chrono_literals;

constexpr auto kPollInScan = 50ms;
constexpr std::uint64_t kFewestKeys = 1000;

}  // namespace

void Follower::rebuild_beside(const CallContext& context, const Watermark& there) {
  const auto began = Clock::now();
  try {
    scan(context, /*is_live=*/true, there);
  } catch (const Overtaken&) {
    throw;
  } catch (...) {
    rebuilds_.failed(began, Clock::now());
    throw;
  }
  rebuilds_.succeeded();
}

// Whatever it is for, it is the rebuild that somebody asked for.
void Follower::scan(const CallContext& context, bool is_live, const Watermark& there) {
  rebuilds_.run([&, this] { scan_into_new(context, is_live, there); });
}

// Begins a filter of the wanted capacity, or of the present filter's if none can be so large.
std::unique_ptr<Rebuild> Follower::begin_new(FilterOptions wanted, const CallContext& context) {
  try {
    return place_.begin_rebuild(wanted, context);
  } catch (const std::invalid_argument&) {
    const std::uint64_t there = filter_.head().parameters.capacity;
    if (there == 0 || there >= wanted.capacity) throw;
    wanted.capacity = there;
  }
  return place_.begin_rebuild(wanted, context);
}

// The new filter gets every row of the scan and every change meanwhile; so does the old one, while
// its watermark still moves. What has changed up to `there`, the scan counts.
void Follower::scan_into_new(const CallContext& context, bool is_live, const Watermark& there) {
  update([](FollowerStatus& status) { status.state = FollowerStatus::State::scanning; });
  FilterOptions wanted = options_.filter;
  const double room = std::max(options_.growth, 1.2 / options_.rebuild_at);
  // A source that cannot say how many there are has shown some.
  const std::uint64_t seen = is_live ? status().key_count : 0;
  const double count = room * static_cast<double>(source_.expected_count().value_or(seen));
  wanted.capacity =
      std::max({wanted.capacity, kFewestKeys, static_cast<std::uint64_t>(std::ceil(count))});
  const auto next = begin_new(wanted, context);
  FollowerAudit audit(options_.audit_one_in);

  std::uint64_t key_count = 0;
  std::optional<Watermark> reached;
  bool has_open = false;
  auto asked = Clock::now();
  const auto take = [&](const Changes& changes) {
    next->insert_many(changes.keys, context);
    audit.take(changes.keys);
    key_count += changes.keys.size();
    if (is_live) {
      try {
        carry(changes, asked, context);
      } catch (const Overtaken&) {
        is_live = false;  // the old one is somebody else's by now, and this one whole without it
      }
    } else {
      erase_entries(changes, context);
    }
    if (changes.watermark) reached = changes.watermark;
    has_open = changes.has_open;
  };
  // Changes from before the scan are of rows that it reads, or that are gone.
  while (is_live) {
    source_.poll(take, 0ms, context);
    const bool is_another = reached && reached->source != there.source;
    if (!there.source.is_set() || is_another || (reached && reached->reaches(there))) break;
  }
  key_count = 0;
  const SourceTotals scanned = source_.scan(
      [&](const Batch& batch) {
        next->insert_many(batch.keys, context);
        audit.take(batch.keys);
        update([&](FollowerStatus& status) { status.scanned += batch.keys.size(); });
        if (Clock::now() - asked < kPollInScan) return true;
        asked = Clock::now();
        source_.poll(take, 0ms, context);
        return true;
      },
      context);
  key_count += scanned.key_count;
  reached.reset();
  while (!reached) {
    asked = Clock::now();
    source_.poll(take, options_.patience, context);
  }
  bool keeps_watermark = true;
  try {
    next->commit_at(*reached, context);
  } catch (const std::invalid_argument&) {
    next->commit(context);
    keeps_watermark = false;
  }
  kept_.clear();
  const bool is_there = filter_.begin_new(*reached, has_open, keeps_watermark, context);
  show_head();
  audit.begin(place_, filter_.head(), context);
  audit_ = std::move(audit);
  if (!has_open) audit_.settle();
  update([&](FollowerStatus& status) {
    ++status.rebuilds;
    status.key_count = key_count;
    status.cannot_grow = status.capacity > 0 && status.capacity < wanted.capacity;
    status.deleted = 0;
    status.fresh_as_of = asked;
  });
  if (!is_there) throw Overtaken(place_.name() + ": another filter has taken the new one's place");
}

}  // namespace bloomery
