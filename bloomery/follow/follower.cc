// SPDX-License-Identifier: Apache-2.0
#include "bloomery/follow/follower.h"

#include <algorithm>
#include <condition_variable>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/filter/solve.h"
#include "bloomery/follow/filter_stepper.h"
#include "bloomery/follow/follower_audit.h"
#include "bloomery/follow/follower_entries.h"
#include "bloomery/follow/rebuild_schedule.h"
#include "bloomery/format/kinds.h"

namespace bloomery {
namespace {

using namespace std::chrono_literals;

constexpr auto kShortestPause = 50ms;
constexpr std::uint64_t kKeptSteps = 10'000;
constexpr double kRebuildAtDeleted = 0.5;  // of the filter's keys, of which the rows are gone
// How long the source keeps changes that the filter has: a server that goes back to what it knew
// then is brought up again without a scan.
constexpr auto kKeepFor = 10'000ms;
constexpr int kAuditsToDraw = 10;  // one in so many draws rows from the database

// Returns whether the rate is one formula of how many keys there are. A server that tells no probes
// does not say it.
bool has_rate(const FilterParameters& of) {
  return of.geometry.probe_count > 0 &&
         std::ranges::find(kSolvableKinds, of.kind) != kSolvableKinds.end();
}

// Takes keys for texts if nobody has said how the source writes them.
FollowerOptions with_said_keys(FollowerOptions options) {
  if (!options.filter.keys.is_known()) options.filter.keys = {};
  return options;
}

}  // namespace

Follower::Follower(ChangeSource& source, FilterPlace& place, const FollowerOptions& options)
    : source_(source),
      place_(place),
      options_(with_said_keys(options)),
      filter_(std::make_unique<FilterStepper>(place)),
      audit_(std::make_unique<FollowerAudit>(options.audit_one_in)),
      rebuilds_(std::make_unique<RebuildSchedule>(options.rebuild_at, kRebuildAtDeleted,
                                                  options.longest_pause)),
      entries_(std::make_unique<FollowerEntries>(
          options.entries, options.erase_again_after,
          [&source](std::vector<std::uint64_t>& ended, const CallContext& context) {
            source.drop_seen(ended, context);
          })) {
  if (!(options_.growth >= 1 && options_.growth <= 1000)) {
    throw std::invalid_argument("the room for more keys is a factor; allowed: 1 to 1000");
  }
}

Follower::~Follower() = default;

void Follower::rebuild() noexcept {
  rebuilds_->ask();
}

FollowerStatus Follower::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

void Follower::run(std::stop_token stop) {
  std::chrono::milliseconds most = kShortestPause;
  while (!stop.stop_requested()) {
    const auto began = Clock::now();
    try {
      follow(stop, nullptr);
    } catch (const Overtaken& error) {
      failed(error.what());
      stand_by(stop);
      continue;
    } catch (const std::logic_error& error) {
      // Later a table may be away for a while, and come back.
      const bool is_misuse = dynamic_cast<const std::invalid_argument*>(&error) == nullptr;
      if (is_misuse || !has_followed_) throw;
      failed(error.what());
    } catch (const std::exception& error) {
      if (stop.stop_requested()) break;
      failed(error.what());
    }
    // The follower followed well until its filter was to be built again, and does so until the next
    // try.
    const bool has_followed_well = rebuilds_->take_failure();
    if (has_followed_well || Clock::now() - began > options_.longest_pause) most = kShortestPause;
    pause(stop, most);
    most = std::min(most * 2, options_.longest_pause);
  }
  end();
}

void Follower::run_once(std::stop_token stop, FenceSource& fence) {
  constexpr int kMostTries = 100;
  constexpr int kMostScansInVain = 3;
  int scans_in_vain = 0;
  for (int i = 0; i < kMostTries; ++i) {
    try {
      const bool has_all = follow(stop, &fence);
      end();
      if (has_all) return;
      throw CallAborted(place_.name() + ": stopped before it had what was there");
    } catch (const Overtaken& error) {
      failed(error.what());
      stand_by(stop);
    } catch (const SourceChanged& error) {
      // Altered or truncated meanwhile, perhaps; but another scan may take long, too.
      if (++scans_in_vain == kMostScansInVain) throw;
      failed(error.what());
    }
  }
  throw StoreError(place_.name() + ": its watermark is moved by somebody else all the time");
}

// Writes what is left, though nobody may wait any more.
void Follower::end() {
  const CallContext context{.deadline = Clock::now() + options_.longest_pause};
  filter_->flush(context);
  entries_->end(context);
  update([](FollowerStatus& status) { status.state = FollowerStatus::State::ended; });
}

// Follows until an error or a stop; with `until`, until the filter has what the database has at the
// beginning. Returns whether it has.
bool Follower::follow(std::stop_token stop, FenceSource* until) {
  const CallContext context{.stop = stop};
  Aim aim{.until = until};
  begin(aim, context);
  has_followed_ = true;  // what is refused from here on was right once
  update([](FollowerStatus& status) { status.state = FollowerStatus::State::following; });
  bool is_fresh = false;
  while (!stop.stop_requested() && !is_fresh) {
    if (rebuilds_->is_due(status(), Clock::now())) {
      rebuild_beside(context, aim.wanted);
      aim.rows = 0;
      aim.wanted = wanted_after_scan(until, context);
      update([](FollowerStatus& status) { status.state = FollowerStatus::State::following; });
    }
    is_fresh = poll(aim, context);
    keep(context);
    if (filter_->has_watermark() && Clock::now() >= look_at_) look(context);
    if (!filter_->is_dirty() && Clock::now() >= audit_at_) audit(context);
  }
  return is_fresh;
}

// Goes on from the filter's watermark, or scans where the database does not have the changes since.
void Follower::begin(Aim& aim, const CallContext& context) {
  update([](FollowerStatus& status) { status.state = FollowerStatus::State::starting; });
  kept_.clear();
  entries_->end_open();
  filter_->begin(context);
  forget_and_show();
  const auto from = filter_->has_watermark() ? filter_->head().watermark : std::nullopt;
  if (source_.start(from, context)) {
    // A database may have kept much since then, and gives it bit by bit.
    if (aim.until != nullptr) aim.wanted = aim.until->ask(context);
    aim.rows = source_.expected_count().value_or(0);
    const std::uint64_t inserted = filter_->head().inserted;
    update([&](FollowerStatus& status) {
      ++status.resumed;
      status.key_count = inserted > 0 ? inserted : aim.rows;
    });
    return;
  }
  if (from) {
    update([&](FollowerStatus& status) {
      ++status.anew;
      status.scan_reason = why_scan();
    });
  }
  scan(context, /*is_live=*/false);
  aim.wanted = wanted_after_scan(aim.until, context);
}

// A scan has it all, and may have made the table another source. But what others carried into the
// old filter until it went belongs into the new one, and without a watermark nobody finds out that
// it is missing.
Watermark Follower::wanted_after_scan(FenceSource* until, const CallContext& context) {
  return until != nullptr && !filter_->has_watermark() ? until->ask(context) : Watermark{};
}

// One question to the source, and whether the filter has all that is wanted after it.
bool Follower::poll(Aim& aim, const CallContext& context) {
  const auto asked = Clock::now();
  std::optional<Watermark> reached;
  bool is_idle = true;
  source_.poll(
      [&](const Changes& changes) {
        carry(changes, asked, context);
        is_idle = is_idle && changes.keys.empty();
        if (changes.watermark) reached = changes.watermark;
      },
      options_.patience, context);
  if (!reached) return false;
  bool is_fresh = false;
  if (aim.until != nullptr) {
    // Somebody else's scan may have made the table another source.
    const bool is_first = !aim.wanted.source.is_set();
    if (!is_first && aim.wanted.source != reached->source) aim.wanted = aim.until->ask(context);
    is_fresh = is_first || reached->reaches(aim.wanted);
  }
  if (is_idle || is_fresh) count_at_least(std::exchange(aim.rows, 0));
  return is_fresh;
}

std::string Follower::why_scan() const {
  std::string why = source_.why_anew();
  if (why.empty()) why = "the database does not have the changes since the filter's watermark";
  return why;
}

// The filter is not the one that the audit's keys went into, or not as it was left.
void Follower::forget_and_show() {
  audit_->forget();
  show_head();
}

void Follower::show_head() {
  const PlaceHead& head = filter_->head();
  update([&](FollowerStatus& status) {
    status.has_watermark = filter_->has_watermark();
    status.watermark = status.has_watermark ? head.watermark : std::nullopt;
    if (head.identity != denied_) status.is_doubted = false;
    const bool grows =
        head.parameters.kind != FilterKind{} && kind_of(head.parameters.kind).has_layers;
    status.capacity = grows ? 0 : head.parameters.capacity;
    status.geometry = has_rate(head.parameters) ? head.parameters.geometry : Geometry{};
  });
}

void Follower::count_at_least(std::uint64_t rows) {
  update([rows](FollowerStatus& status) { status.key_count = std::max(status.key_count, rows); });
}

void Follower::carry(const Changes& changes, Clock::time_point asked, const CallContext& context) {
  erase_entries(changes, context);
  if (!filter_->carry(changes, context)) forget_and_show();
  if (filter_->has_watermark()) {
    audit_->take(changes.keys);
    if (!filter_->has_loose()) audit_->settle();
  }
  update([&](FollowerStatus& status) {
    status.carried += changes.keys.size();
    status.key_count += changes.keys.size();
    status.deleted += changes.deleted_count;
    if (filter_->has_watermark()) status.watermark = filter_->head().watermark;
    if (changes.watermark) status.fresh_as_of = asked;
  });
}

void Follower::erase_entries(const Changes& changes, const CallContext& context) {
  const std::uint64_t left = entries_->erase(changes, context);
  if (left > 0) update([&](FollowerStatus& status) { status.left_entries += left; });
}

// Writes what is to be written, and lets the database forget what the filter has kept for a while.
void Follower::keep(const CallContext& context) {
  const auto began = Clock::now();
  if (filter_->is_dirty() && began >= flush_at_) {
    filter_->flush(context);
    const auto now = Clock::now();
    flush_at_ = now + std::max<Clock::duration>(options_.flush_every, 10 * (now - began));
    const std::optional<Watermark>& kept = filter_->reached();
    if (kept && kept_.size() < kKeptSteps) kept_.emplace_back(now, *kept);
  }
  std::optional<Watermark> forget;
  while (!kept_.empty() && began - kept_.front().first >= kKeepFor) {
    forget = kept_.front().second;
    kept_.pop_front();
  }
  if (forget) source_.confirm(*forget);
}

void Follower::look(const CallContext& context) {
  const bool is_as_left = filter_->look(context);
  look_at_ = Clock::now() + options_.look_every;
  if (!is_as_left) forget_and_show();
}

// Asks the filter for keys that it must have. One that has lost bits gets a watermark of a source
// that nobody asks about, until it was built again: so it denies nothing behind a fence.
void Follower::audit(const CallContext& context) {
  audit_at_ = Clock::now() + options_.audit_every;
  if (!filter_->has_watermark()) return;
  FollowerAudit::Answer answer;
  try {
    if (audit_->wants_drawn() && Clock::now() >= draw_at_) {
      draw_at_ = Clock::now() + kAuditsToDraw * options_.audit_every;
      audit_->take_drawn(source_.draw(context));
    }
    answer = audit_->ask(place_, filter_->head(), context);
  } catch (const std::exception&) {
    return;  // whoever carries the next change is told
  }
  update([&](FollowerStatus& status) {
    status.audited += answer.asked;
    if (!answer.is_denied) return;
    ++status.denied;
    status.is_doubted = true;
  });
  if (!answer.is_denied) return;
  denied_ = filter_->head().identity;
  rebuilds_->ask();
  if (place_.advance(filter_->head(), {.source = Identity::random(), .position = 0}, context)) {
    rebuilds_->withdraw();  // whoever begins from there scans
  }
  place_.flush(context);
  throw StoreError(
      place_.name() +
      ": denied a row: it has lost bits, or nobody told of the row; it is built again");
}

void Follower::failed(const std::string& why) {
  update([&](FollowerStatus& status) {
    status.state = FollowerStatus::State::failing;
    ++status.failures;
    status.last_error = why;
  });
}

// Somebody else moves the filter. Two who carry one transaction, which takes several steps, would
// overtake each other for ever: so who was overtaken waits for as long as there are steps that end
// none. A filter that stands still is nobody's, or that of a follower who waits as well; so each
// looks less often each time.
void Follower::stand_by(std::stop_token stop) {
  const auto now = Clock::now();
  const bool is_again = now - overtaken_at_ < options_.longest_pause;
  stand_by_for_ = std::min(is_again ? 2 * stand_by_for_ : kShortestPause, options_.longest_pause);
  try {
    const CallContext context{.stop = stop};
    PlaceHead before = place_.head(context);
    while (!stop.stop_requested()) {
      pause(stop, stand_by_for_);
      const PlaceHead after = place_.head(context);
      const bool is_within = after.identity == before.identity &&
                             after.watermark == before.watermark && after.beat != before.beat;
      if (!is_within) break;
      before = after;
    }
  } catch (const std::exception&) {
    // Following says so.
  }
  overtaken_at_ = Clock::now();
}

// Not all followers at the same time.
void Follower::pause(std::stop_token stop, std::chrono::milliseconds most) {
  std::uniform_int_distribution<std::int64_t> some(most.count() / 2, most.count());
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any().wait_for(lock, stop, std::chrono::milliseconds(some(random_)),
                                         [] { return false; });
}

}  // namespace bloomery
