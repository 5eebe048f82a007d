// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/place/guard_counters.h"
#include "bloomery/place/wait_times.h"
#include "cli/live_demo/live_database.h"

namespace bloomery::cli {

// Users have odd ids, which jump about; nobody has an even one.
std::uint64_t user_id(std::uint64_t number) noexcept;
std::string user_name(std::uint64_t id);

// How many threads do what, on each side.
struct LiveThreads {
  int writers = 2;  // commit a row and ask for it at once
  int readers = 2;  // ask for rows that have been there for long
  int flood = 64;   // ask for ids that nobody has
};

// LiveTally counts what one side has done and found.
struct LiveTally {
  std::uint64_t committed = 0;      // rows, each asked for right after
  std::uint64_t known = 0;          // questions for older rows
  std::uint64_t flood = 0;          // questions for ids that nobody has
  std::uint64_t false_absents = 0;  // "no such row" of a row that is there
  std::uint64_t failed = 0;         // no answer at all
  GuardCounters counters{};
  std::uint64_t fence_questions = 0;
  std::chrono::microseconds wait_p50{};  // for the fence
  std::chrono::microseconds wait_p99{};

  // `queries_without`: the queries that the questions would cost without a filter. `queries`: those
  // that they did cost. `saved`: the share that the filter saves.
  std::uint64_t queries_without() const { return flood + counters.found; }
  std::uint64_t queries() const { return counters.database_queries + fence_questions; }
  double saved() const;
  // Returns the share of the flood, which asks for ids that nobody has, that was denied without a
  // query.
  double denied() const;
};

// Writers, readers and a flood, with one guard between them, a filter and a database; behind a
// fence or trusting the filter alone. They run from start() to stop(), which throws what a writer
// could not do. Borrows the database.
class LiveTraffic {
 public:
  // `first_row` is the number of the first user that is not there yet, of whom it makes every
  // second one.
  LiveTraffic(const LiveDatabase& database, const std::string& filter, bool is_fenced,
              std::uint64_t first_row, const LiveThreads& threads);
  ~LiveTraffic();
  LiveTraffic(const LiveTraffic&) = delete;
  LiveTraffic& operator=(const LiveTraffic&) = delete;

  void start();
  void stop();
  LiveTally tally() const;

 private:
  class Side;
  std::unique_ptr<Side> side_;
};

}  // namespace bloomery::cli
