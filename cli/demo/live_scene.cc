// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/live_scene.h"

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "bloomery/guard/cache_guard.h"
#include "bloomery/guard/memory_cache.h"
#include "bloomery/source/sqlite_source.h"
#include "cli/demo/word_database.h"

namespace bloomery::cli {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kPart(500);
constexpr milliseconds kBetweenRows(1);
constexpr std::uint64_t kMostRows = 4'000;
constexpr std::size_t kAskers = 2;  // at once in the database: the one who asks, and an audit
constexpr std::size_t kAbsentInARow = 20;
constexpr std::size_t kRealInARow = 5;
constexpr std::size_t kCachedRows = 20'000;

// Rows that are committed and that nobody has asked for yet.
class Committed {
 public:
  void add(std::string word) {
    const std::lock_guard lock(mutex_);
    words_.push_back(std::move(word));
  }
  std::vector<std::string> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(words_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> words_;
};

class Scene {
 public:
  Scene(MemoryPlace<BlockedFilter>& place, const DatabaseTable& table, KeyTypes types,
        std::span<const std::string> real_keys)
      : place_(place),
        table_(table),
        real_keys_(real_keys),
        insert_(word_inserter(table.path)),
        loader_(table, types, kAskers),
        guard_(place, cache_, [this](std::span<const Key> keys) { return loader_.load(keys); },
               {.audit_every = 0}) {}

  LiveScene run(const FilterParameters& parameters) {
    std::exception_ptr error;
    {
      std::jthread writer(
          [&](const std::stop_token& stop) { error = caught([&] { write(stop); }); });
      result_.before = ask_for_a_part();
      place_.doubt();
      {
        // While there is no filter, another is made.
        std::jthread maker([&] { failed_ = caught([&] { make_another(parameters); }); });
        result_.away = ask_while([this] { return !has_filter_; });
      }
      result_.after = ask_for_a_part();
    }
    for (const std::exception_ptr& each : {error, failed_}) {
      if (each) std::rethrow_exception(each);
    }
    ask_for_committed();
    return result_;
  }

 private:
  template <class Act>
  static std::exception_ptr caught(Act act) {
    try {
      act();
    } catch (...) {
      return std::current_exception();
    }
    return nullptr;
  }

  void write(const std::stop_token& stop) {
    for (; !stop.stop_requested() && result_.inserted_count < kMostRows; ++result_.inserted_count) {
      std::string word = "new row " + std::to_string(result_.inserted_count);
      {
        const InsertToken token = guard_.will_insert(word);
        insert_(word);
      }
      committed_.add(std::move(word));
      std::this_thread::sleep_for(kBetweenRows);
    }
  }

  void make_another(const FilterParameters& parameters) {
    const auto done = [this](auto*) { has_filter_ = true; };
    const std::unique_ptr<Scene, decltype(done)> at_the_end(this, done);
    const auto start = Clock::now();
    const auto rebuild =
        place_.begin_rebuild(FilterOptions{.capacity = parameters.capacity + kMostRows,
                                           .false_positive_rate = parameters.false_positive_rate});
    guard_.wait_for_inserts();
    SqliteSource source(table_.path, {.table = table_.table, .column = table_.column, .query = {}},
                        {.busy_timeout_ms = table_.busy_timeout_ms});
    source.for_each_batch([&](const Batch& batch) {
      rebuild->insert_many(batch.keys, {});
      return true;
    });
    rebuild->commit({});
    result_.rebuild_time = Clock::now() - start;
  }

  LivePart ask_for_a_part() {
    const auto end = Clock::now() + kPart;
    return ask_while([end] { return Clock::now() < end; });
  }

  template <class Goes>
  LivePart ask_while(Goes goes) {
    const std::uint64_t before = guard_.counters().not_found;
    LivePart part;
    do {
      ask_for_committed();
      for (std::size_t i = 0; i < kAbsentInARow; ++i, ++part.absent_count) {
        guard_.get("no row " + std::to_string(absent_++));
      }
      for (std::size_t i = 0; i < kRealInARow; ++i) ask(real_keys_[real_++ % real_keys_.size()]);
    } while (goes());
    part.absent_queries = guard_.counters().not_found - before;
    return part;
  }

  void ask_for_committed() {
    for (const std::string& word : committed_.take()) ask(word);
  }

  void ask(const std::string& word) {
    ++result_.asked_count;
    const auto row = guard_.get(word);
    if (!row || *row != reversed_word(word)) ++result_.denied_count;
  }

  MemoryPlace<BlockedFilter>& place_;
  const DatabaseTable& table_;
  const std::span<const std::string> real_keys_;
  const std::function<void(std::string_view)> insert_;
  RowLoader loader_;
  MemoryCache<> cache_{{.capacity = kCachedRows}};
  CacheGuard<> guard_;
  Committed committed_;
  std::atomic<bool> has_filter_ = false;
  std::exception_ptr failed_;
  std::uint64_t absent_ = 0;
  std::size_t real_ = 0;
  LiveScene result_;
};

}  // namespace

LiveScene run_live_scene(MemoryPlace<BlockedFilter>& place, const DatabaseTable& table,
                         KeyTypes types, std::span<const std::string> real_keys,
                         const FilterParameters& parameters) {
  return Scene(place, table, types, real_keys).run(parameters);
}

}  // namespace bloomery::cli
