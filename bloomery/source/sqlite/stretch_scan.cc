// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/sqlite/stretch_scan.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/source/in_order.h"
#include "bloomery/source/sqlite/key_scan.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kStretchRows = 8192;
constexpr std::size_t kStretchBytes = std::size_t{1} << 20;

// The keys of a stretch, end to end.
class StretchKeys {
 public:
  void begin(std::int64_t first_rowid) {
    if (!room_) room_ = std::make_unique_for_overwrite<Room>();
    count_ = 0;
    used_ = 0;
    null_count_ = 0;
    first_rowid_ = first_rowid;
    is_too_long_ = false;
  }

  [[gnu::always_inline]] char* room(std::size_t byte_limit) noexcept {
    if (byte_limit <= kStretchBytes - used_) return room_->bytes.data() + used_;
    is_too_long_ = true;
    return nullptr;
  }
  [[gnu::always_inline]] void keep(std::size_t byte_count) noexcept {
    room_->keys[count_++] = {room_->bytes.data() + used_, byte_count};
    used_ += byte_count;
  }
  void skip_null() noexcept { ++null_count_; }

  std::span<const Key> keys() const noexcept { return std::span(room_->keys).first(count_); }
  std::size_t byte_count() const noexcept { return used_; }
  std::uint64_t null_count() const noexcept { return null_count_; }
  std::int64_t first_rowid() const noexcept { return first_rowid_; }
  bool is_too_long() const noexcept { return is_too_long_; }

 private:
  struct Room {
    std::array<Key, kStretchRows> keys;
    std::array<char, kStretchBytes> bytes;
  };

  std::unique_ptr<Room> room_;
  std::size_t count_ = 0;
  std::size_t used_ = 0;
  std::uint64_t null_count_ = 0;
  std::int64_t first_rowid_ = 0;
  bool is_too_long_ = false;
};

// Reads stretches through one connection.
class StretchReader {
 public:
  StretchReader(SqliteDatabase& database, const StretchScan& what)
      : database_(database),
        scan_{.form = what.form, .is_utf8 = what.is_utf8, .sink = nullptr},
        function_(database, scan_),
        // No index: the rows come in the order of their rowids.
        statement_(database.prepare("SELECT " + std::string(kTakeKey) + "(" + what.key + ") FROM " +
                                    what.table + " NOT INDEXED WHERE rowid BETWEEN ?1 AND ?2")) {}

  // Returns why the row after those that were read spells no key; empty where all are read, or do
  // not fit.
  std::string read(std::int64_t last_rowid, StretchKeys& keys) {
    scan_.sink = &keys;
    scan_.problem.clear();
    sqlite3_stmt* const statement = statement_.get();
    sqlite3_bind_int64(statement, 1, keys.first_rowid());
    sqlite3_bind_int64(statement, 2, last_rowid);
    const int code = sqlite3_step(statement);
    if (scan_.fault) std::rethrow_exception(scan_.fault);
    const bool was_ended = !scan_.problem.empty() || keys.is_too_long();
    if (code != SQLITE_ROW && !was_ended) database_.fail(code);
    sqlite3_reset(statement);
    return scan_.problem;
  }

 private:
  SqliteDatabase& database_;
  KeyScan<StretchKeys> scan_;
  FunctionForScan<StretchKeys> function_;
  SqliteDatabase::Statement statement_;
};

// The readers that no thread uses at the moment; there is one for each thread.
class IdleReaders {
 public:
  void give(StretchReader& reader) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(&reader);
  }
  StretchReader& take() {
    const std::lock_guard lock(mutex_);
    StretchReader& reader = *idle_.back();
    idle_.pop_back();
    return reader;
  }

 private:
  std::mutex mutex_;
  std::vector<StretchReader*> idle_;
};

struct Stretch {
  std::int64_t last_rowid = 0;
  StretchKeys keys;
  std::string problem;  // of the row after the keys
};

}  // namespace

StretchScan::Outcome StretchScan::run(const std::list<SqliteDatabase*>& connections,
                                      RowidRange rowids, const Preparation& preparation,
                                      const BatchConsumer& consumer) const {
  std::list<StretchReader> readers;
  IdleReaders idle;
  for (SqliteDatabase* const each : connections) idle.give(readers.emplace_back(*each, *this));
  const auto threads = static_cast<unsigned>(connections.size());
  std::vector<Stretch> stretches(slot_count(threads));
  const std::uint64_t row_count = rowids.size();
  std::uint64_t begun = 0;  // rows
  Outcome outcome;
  SourceTotals& totals = outcome.totals;

  OrderedSteps steps;
  steps.begin = [&](std::size_t slot) {
    if (begun == row_count) return false;
    const std::uint64_t rows = std::min(kStretchRows, row_count - begun);
    const auto first = static_cast<std::int64_t>(static_cast<std::uint64_t>(rowids.first) + begun);
    stretches[slot].keys.begin(first);
    stretches[slot].last_rowid = first + static_cast<std::int64_t>(rows - 1);
    begun += rows;
    return true;
  };
  steps.work = [&](std::size_t slot) {
    Stretch& stretch = stretches[slot];
    StretchReader& reader = idle.take();
    try {
      stretch.problem = reader.read(stretch.last_rowid, stretch.keys);
    } catch (...) {
      idle.give(reader);
      throw;
    }
    idle.give(reader);
    const auto keys = stretch.keys.keys();
    if (!preparation.work || keys.empty() || stretch.keys.is_too_long()) return;
    preparation.work(
        {.keys = keys, .lines = keys, .first_record = 0, .byte_count = 0, .slot = slot});
  };
  steps.end = [&](std::size_t slot) {
    const Stretch& stretch = stretches[slot];
    if (stretch.keys.is_too_long()) {
      outcome.rest = stretch.keys.first_rowid();
      return false;
    }
    const auto keys = stretch.keys.keys();
    const Batch batch{.keys = keys,
                      .lines = keys,
                      .first_record = totals.key_count + 1,
                      .byte_count = totals.byte_count + stretch.keys.byte_count(),
                      .slot = slot};
    totals.key_count += keys.size();
    totals.null_count += stretch.keys.null_count();
    totals.byte_count = batch.byte_count;
    if (!keys.empty() && !consumer(batch)) return false;
    outcome.problem = stretch.problem;
    return outcome.problem.empty();
  };
  run_in_order(threads, steps);
  return outcome;
}

}  // namespace bloomery
