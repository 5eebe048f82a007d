// SPDX-License-Identifier: Apache-2.0
#include "cli/live_demo/live_traffic.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <random>
#include <stop_token>
#include <utility>

#include "bloomery/guard/cache_guard.h"
#include "bloomery/guard/memory_cache.h"
#include "bloomery/open/open_place.h"
#include "bloomery/place/coalesced_fence.h"
#include "bloomery/source/open_changes.h"

namespace bloomery::cli {
namespace {

using std::chrono::milliseconds;

// Clients pause between two requests: otherwise these threads would have the machine for
// themselves, and the servers none of it.
constexpr milliseconds kBetweenCommits{10};
constexpr milliseconds kBetweenReads{5};
constexpr milliseconds kBetweenFlood{2};
// The longest wait for a fence: as long as a follower takes that is started again.
constexpr milliseconds kFenceWait{250};
constexpr std::size_t kQueriesAtOnce = 2;

// The filter as who has never heard of watermarks asks it: whatever is there now is believed.
class TrustedPlace final : public FilterPlace {
 public:
  explicit TrustedPlace(std::string location) : location_(std::move(location)) {}

  std::string name() const override { return location_; }
  void ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
           const CallContext& context) override {
    const auto place = current();
    place->ask(keys, answers, proofs, context);
    if (std::ranges::find(answers, Presence::unknown) == answers.end()) return;
    const std::lock_guard lock(mutex_);
    if (place_ == place) place_.reset();  // another may be there by now
  }
  void insert_many(std::span<const Key>, std::span<Inserted>, const CallContext&) override {
    refuse("is only asked");
  }
  PlaceHead head(const CallContext& context) override { return current()->head(context); }

 private:
  std::shared_ptr<FilterPlace> current() {
    const std::lock_guard lock(mutex_);
    if (!place_) place_ = open_place(location_);
    return place_;
  }

  const std::string location_;
  std::mutex mutex_{};
  std::shared_ptr<FilterPlace> place_{};
};

std::unique_ptr<FilterPlace> place_of(const std::string& filter, bool is_fenced) {
  if (is_fenced) return open_place(filter);
  return std::make_unique<TrustedPlace>(filter);
}

GuardOptions guard_options(bool is_fenced, CoalescedFence& fence) {
  // Few queries at once: the flood is kept from the database also while there is no filter. Without
  // audits: what is shown is what fence and filter do by themselves.
  GuardOptions options;
  options.queries_at_once = kQueriesAtOnce;
  options.query_wait = std::chrono::seconds(10);
  options.audit_every = 0;
  if (!is_fenced) return options;
  options.mode = GuardMode::strict;
  options.fence = [&fence](const CallContext& context) { return fence.ask(context); };
  options.fence_wait = kFenceWait;
  return options;
}

}  // namespace

std::uint64_t user_id(std::uint64_t number) noexcept {
  constexpr std::uint64_t kOdd = 2654435761;  // so that no two numbers meet
  constexpr std::uint64_t kIds = std::uint64_t{1} << 40;
  return 2 * (number * kOdd % kIds) + 1;
}

std::string user_name(std::uint64_t id) {
  return "user " + std::to_string(id);
}

double LiveTally::saved() const {
  const auto all = static_cast<double>(std::max<std::uint64_t>(1, queries_without()));
  return 1 - static_cast<double>(queries()) / all;
}

double LiveTally::denied() const {
  const auto asked = static_cast<double>(std::max<std::uint64_t>(1, flood));
  const std::uint64_t missed = counters.not_found + failed;
  return 1 - static_cast<double>(std::min(missed, flood)) / asked;
}

class LiveTraffic::Side {
 public:
  Side(const LiveDatabase& database, const std::string& filter, bool is_fenced,
       std::uint64_t first_row, const LiveThreads& threads)
      : database_(database),
        place_(place_of(filter, is_fenced)),
        fence_([location = database.location()] { return open_fence(location); }),
        guard_(*place_, cache_, database.rows(kQueriesAtOnce), guard_options(is_fenced, fence_)),
        first_row_(first_row),
        next_row_(first_row + (is_fenced ? 0 : 1)),
        threads_(threads) {}

  void start() {
    for (int i = 0; i < threads_.writers; ++i) add(&Side::write, i);
    for (int i = 0; i < threads_.readers; ++i) add(&Side::read, i);
    for (int i = 0; i < threads_.flood; ++i) add(&Side::flood, i);
  }

  void stop() {
    for (std::jthread& each : running_) each.request_stop();
    running_.clear();
    const std::lock_guard lock(mutex_);
    if (error_) std::rethrow_exception(error_);
  }

  LiveTally tally() const {
    LiveTally tally{.committed = committed_,
                    .known = known_,
                    .flood = flood_,
                    .false_absents = false_absents_,
                    .failed = failed_,
                    .counters = guard_.counters(),
                    .fence_questions = fence_.questions()};
    if (const WaitTimes* const waits = guard_.fence_waits()) {
      tally.wait_p50 = waits->quantile(0.5);
      tally.wait_p99 = waits->quantile(0.99);
    }
    return tally;
  }

 private:
  void add(void (Side::*work)(const std::stop_token&, std::minstd_rand&), int number) {
    running_.emplace_back([this, work, number](const std::stop_token& stop) {
      std::minstd_rand random(static_cast<unsigned>(number + 1));
      try {
        (this->*work)(stop, random);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = std::current_exception();
      }
    });
  }

  // The user, if it is said that there is none, or nobody can say.
  std::optional<std::string> ask(std::uint64_t id, bool& failed) {
    const std::string key = std::to_string(id);
    failed = false;
    try {
      return guard_.get(Key(key));
    } catch (const std::runtime_error&) {  // no answer is none that is wrong
      ++failed_;
      failed = true;
      return std::nullopt;
    }
  }
  void ask_for_user(std::uint64_t id) {
    bool failed = false;
    const auto name = ask(id, failed);
    if (!failed && name != user_name(id)) ++false_absents_;
  }

  static void rest(milliseconds time, std::minstd_rand& random) {
    std::uniform_int_distribution<std::int64_t> about(time.count() * 500, time.count() * 1500);
    std::this_thread::sleep_for(std::chrono::microseconds(about(random)));
  }

  void write(const std::stop_token& stop, std::minstd_rand& random) {
    const auto session = database_.connect();
    while (!stop.stop_requested()) {
      const std::uint64_t id = user_id(next_row_.fetch_add(2));
      session->run("INSERT INTO users(id, name) VALUES (" + std::to_string(id) + ", '" +
                   user_name(id) + "')");
      ask_for_user(id);
      ++committed_;
      rest(kBetweenCommits, random);
    }
  }

  // Asks for some keys far more often than for others.
  void read(const std::stop_token& stop, std::minstd_rand& random) {
    std::uniform_real_distribution<double> share(0, 1);
    while (!stop.stop_requested()) {
      const double drawn = share(random);
      ask_for_user(user_id(
          static_cast<std::uint64_t>(drawn * drawn * drawn * static_cast<double>(first_row_))));
      ++known_;
      rest(kBetweenReads, random);
    }
  }

  void flood(const std::stop_token& stop, std::minstd_rand& random) {
    while (!stop.stop_requested()) {
      bool failed = false;
      ask(2 * (user_id(next_absent_++) + 1), failed);
      ++flood_;
      rest(kBetweenFlood, random);
    }
  }

  const LiveDatabase& database_;
  const std::unique_ptr<FilterPlace> place_;
  CoalescedFence fence_;
  MemoryCache<> cache_{{.capacity = 50'000}};
  CacheGuard<> guard_;
  const std::uint64_t first_row_;
  std::atomic<std::uint64_t> next_row_;
  std::atomic<std::uint64_t> next_absent_{0};
  const LiveThreads threads_;

  std::atomic<std::uint64_t> committed_{0};
  std::atomic<std::uint64_t> known_{0};
  std::atomic<std::uint64_t> flood_{0};
  std::atomic<std::uint64_t> false_absents_{0};
  std::atomic<std::uint64_t> failed_{0};
  std::mutex mutex_{};
  std::exception_ptr error_{};
  std::vector<std::jthread> running_{};
};

LiveTraffic::LiveTraffic(const LiveDatabase& database, const std::string& filter, bool is_fenced,
                         std::uint64_t first_row, const LiveThreads& threads)
    : side_(std::make_unique<Side>(database, filter, is_fenced, first_row, threads)) {}

LiveTraffic::~LiveTraffic() = default;

void LiveTraffic::start() {
  side_->start();
}

void LiveTraffic::stop() {
  side_->stop();
}

LiveTally LiveTraffic::tally() const {
  return side_->tally();
}

}  // namespace bloomery::cli
