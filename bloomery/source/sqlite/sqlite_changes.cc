// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/sqlite/sqlite_changes.h"

#include <sqlite3.h>

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/place/watermark_text.h"
#include "bloomery/source/packed_keys.h"
#include "bloomery/text/printable.h"

namespace bloomery {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// Limits of one transaction that reads: rows are copied, and handed over when nothing is locked any
// more.
constexpr int kMostRows = 8192;
constexpr std::size_t kMostBytes = 1 << 20;
// How many changes one transaction takes away, so that it locks out nobody for long; and how often.
constexpr int kForgetRows = 2000;
constexpr auto kForgetEvery = 1s;
constexpr int kForgetShare = 16;  // of the outbox, once it is full to so many parts
constexpr std::uint32_t kForgetPatienceMs = 20;
constexpr std::chrono::microseconds kShortestPause = 250us;
constexpr std::chrono::microseconds kLongestPause = 5ms;

}  // namespace

struct SqliteChanges::Rows {
  PackedKeys keys;
  std::uint64_t deleted_count = 0;
  PackedKeys touched;
  std::int64_t last = 0;
  bool is_all = false;  // there was no more

  bool is_full() const noexcept { return keys.byte_count() + touched.byte_count() >= kMostBytes; }
};

SqliteChanges::SqliteChanges(std::string path, SqliteSelection selection, ChangeOptions options)
    : path_(std::move(path)), selection_(std::move(selection)), options_(std::move(options)) {
  open();
}

SqliteChanges::~SqliteChanges() {
  if (has_begun_) forget_confirmed();
}

void SqliteChanges::open() {
  connect();
  // Behind the other: where a link is led elsewhere in between, poll() finds that out.
  rows_ = std::make_unique<SqliteSource>(path_, selection_, options_.keys);
}

void SqliteChanges::connect() {
  version_.reset();
  database_ =
      std::make_unique<SqliteDatabase>(path_, options_.keys.busy_timeout_ms, /*writes=*/true);
  outbox_ =
      std::make_unique<SqliteOutbox>(*database_, selection_, options_.slot, options_.tells_touched);
  // A loss of power may take our last commits, which nobody waits for. A filter is then ahead of
  // the database, and following does not go on from it.
  if (database_->texts("PRAGMA journal_mode") == std::vector<std::string>{"wal"}) {
    database_->run("PRAGMA synchronous = NORMAL");
  }
}

std::string SqliteChanges::name() const {
  return "sqlite:" + path_ + "?table=" + selection_.table + "&column=" + selection_.column;
}

void SqliteChanges::wait_no_longer_than(const CallContext& context) {
  if (context.is_over()) throw CallAborted(name() + ": the call's time is over");
  std::uint32_t patience = options_.keys.busy_timeout_ms;
  if (context.deadline != CallContext::kNever) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        context.deadline - CallContext::Clock::now());
    patience = static_cast<std::uint32_t>(std::clamp<std::int64_t>(left.count(), 0, patience));
  }
  database_->wait_for_locks(patience);
}

bool SqliteChanges::start(const std::optional<Watermark>& from, const CallContext& context) {
  has_begun_ = false;
  open();
  wait_no_longer_than(context);
  const auto is_whole = [&] {
    try {
      state_ = outbox_->read(*database_);
      return !state_.has_gap;
    } catch (const SourceChanged&) {
      return false;
    }
  };
  bool whole = false;
  bool goes_on = false;
  const auto at = from ? static_cast<std::int64_t>(from->position) : 0;
  {
    SqliteTransaction now(*database_, SqliteTransaction::reads);
    whole = is_whole();
    goes_on = whole && from && from->source == state_.source() &&
              outbox_->has_been_at(*database_, state_, at);
    now.commit();
  }
  if (!whole) {
    SqliteTransaction now(*database_, SqliteTransaction::writes);
    if (!is_whole()) {  // nobody else was quicker
      outbox_->create(*database_, options_.backlog_byte_limit);
      state_ = outbox_->read(*database_);
    }
    now.commit();
  }
  position_ = goes_on ? at : state_.last;
  confirmed_ = forgotten_ = state_.confirmed;
  seen_version_ = -1;
  has_begun_ = true;
  return goes_on;
}

std::optional<std::uint64_t> SqliteChanges::expected_count() {
  return rows_->expected_count();
}

SourceTotals SqliteChanges::scan(const BatchConsumer& consumer, const CallContext& context) {
  if (!has_begun_) throw std::logic_error(name() + ": scan() comes after start()");
  const SourceTotals totals = rows_->for_each_batch([&](const Batch& batch) {
    if (context.is_over()) throw CallAborted(name() + ": the call's time was over in the scan");
    return consumer(batch);
  });
  // A copy of the file that was made before has rows that this scan did not see.
  wait_no_longer_than(context);
  SqliteTransaction now(*database_, SqliteTransaction::writes);
  need_state();
  const std::string epoch = identity_text(Identity::random());
  database_->run("UPDATE " + outbox_->state() + " SET epoch = '" + epoch + "'");
  now.commit();
  state_.epoch = epoch;
  seen_version_ = -1;
  return totals;
}

// In a transaction. Throws where changes may be missing.
SqliteOutboxState SqliteChanges::need_state() {
  SqliteOutboxState now = outbox_->read(*database_);
  const auto fail = [&](const char* why) { outbox_->changed(*database_, why); };
  if (now.file != state_.file) fail("another file took its place");
  if (now.instance != state_.instance) fail("somebody made its triggers anew");
  if (now.schema != state_.schema) fail("some table's schema has changed, perhaps this one's");
  if (now.has_gap) fail("more changed than is kept for a follower that is away");
  if (now.confirmed > position_) fail("another follower has taken changes away");
  if (now.last < position_ || !outbox_->has_been_at(*database_, now, position_)) {
    fail("a copy of the database took its place");
  }
  return now;
}

std::int64_t SqliteChanges::data_version() {
  if (!version_) version_ = database_->prepare("PRAGMA data_version");
  sqlite3_reset(version_.get());
  if (!database_->step(version_)) database_->fail(SQLITE_INTERNAL);
  const std::int64_t version = sqlite3_column_int64(version_.get(), 0);
  sqlite3_reset(version_.get());
  return version;
}

void SqliteChanges::reconnect() {
  try {
    connect();
  } catch (const std::invalid_argument& gone) {  // the table, or its column
    throw SourceChanged(gone.what());
  }
}

Watermark SqliteChanges::reached(std::int64_t position) const {
  return {.source = state_.source(), .position = static_cast<std::uint64_t>(position)};
}

void SqliteChanges::poll(const ChangeConsumer& consumer, std::chrono::milliseconds patience,
                         const CallContext& context) {
  if (!has_begun_) throw std::logic_error(name() + ": poll() comes after start()");
  const auto until = Clock::now() + patience;
  auto pause = kShortestPause;
  while (true) {
    wait_no_longer_than(context);
    if (database_->has_moved()) outbox_->changed(*database_, "another file took its place");
    const SqliteDatabase::FileStamp stamp = database_->file_stamp();
    std::int64_t version = data_version();
    if (version == seen_version_ && stamp != seen_stamp_) {
      // A checkpoint, or what was forgotten here. Or another file was written over this one, whose
      // changes were as many: what this connection remembers is of the one before.
      reconnect();
      version = data_version();
      seen_version_ = -1;
    }
    if (version != seen_version_) {
      const bool came = hand_over(consumer);
      seen_version_ = version;
      seen_stamp_ = stamp;
      if (came) return forget_confirmed();
    }
    const auto now = Clock::now();
    if (now >= until) break;
    std::this_thread::sleep_for(
        std::min<std::chrono::nanoseconds>(pause, std::max(until - now, Clock::duration(0))));
    pause = std::min(pause * 2, kLongestPause);
  }
  forget_confirmed();
  // Nobody has written since all was handed over.
  consumer({.keys = {}, .deleted_count = 0, .watermark = reached(position_)});
}

// All that there is at this moment. In several transactions, so that a long list locks nobody out;
// the first says where the list ends, which is the end of somebody's transaction.
bool SqliteChanges::hand_over(const ChangeConsumer& consumer) {
  std::optional<std::int64_t> target;
  while (true) {
    Rows rows;
    {
      SqliteTransaction now(*database_, SqliteTransaction::reads);
      state_ = need_state();
      if (!target) target = state_.last;
      if (*target > position_) read_rows(*target, rows);
      now.commit();
    }
    if (*target == position_) return false;
    if (rows.is_all && rows.last != *target) {
      outbox_->changed(*database_, "somebody took changes away");
    }
    const bool is_end = rows.last == *target;
    consumer({.keys = rows.keys.keys(),
              .deleted_count = rows.deleted_count,
              .touched = rows.touched.keys(),
              .watermark = is_end ? std::optional(reached(rows.last)) : std::nullopt});
    position_ = rows.last;
    if (is_end) return true;
  }
}

SqliteKeyWriter SqliteChanges::key_writer() {
  const bool is_utf8 = database_->texts("PRAGMA encoding") == std::vector<std::string>{"UTF-8"};
  return {{options_.keys.encoding, options_.keys.normalise}, is_utf8};
}

void SqliteChanges::read_rows(std::int64_t target, Rows& rows) {
  SqliteKeyWriter writer = key_writer();
  const auto found = database_->prepare("SELECT id, key, gone, was FROM " + outbox_->changes() +
                                        " WHERE id > ?1 AND id <= ?2 ORDER BY id");
  sqlite3_bind_int64(found.get(), 1, position_);
  sqlite3_bind_int64(found.get(), 2, target);
  // The connection is this thread's alone, which is all that a value of a row asks for.
  const auto write = [&](int column, PackedKeys& to) {
    const int type = sqlite3_column_type(found.get(), column);
    if (type == SQLITE_NULL) return;
    if (!writer.write(sqlite3_column_value(found.get(), column), type, to)) {
      throw std::invalid_argument(path_ + ": a new row: " + writer.problem());
    }
  };
  for (int count = 0; count < kMostRows && !rows.is_full(); ++count) {
    if (!database_->step(found)) {
      rows.is_all = true;
      return;
    }
    rows.last = sqlite3_column_int64(found.get(), 0);
    if (sqlite3_column_int(found.get(), 2) != 0) ++rows.deleted_count;
    write(1, rows.keys);
    if (options_.tells_touched) write(3, rows.touched);
  }
}

// A row behind each of some numbers that are drawn: behind a gap one is drawn the more often.
std::optional<DrawnKeys> SqliteChanges::draw(const CallContext& context) {
  wait_no_longer_than(context);
  if (!has_rowids(*database_, selection_.table)) return std::nullopt;
  const std::string from = quote_identifier(selection_.table);
  SqliteKeyWriter writer = key_writer();
  PackedKeys keys;
  SqliteTransaction now(*database_, SqliteTransaction::reads);
  const SqliteOutboxState state = need_state();
  const auto edges = database_->prepare("SELECT (SELECT min(rowid) FROM " + from +
                                        "), (SELECT max(rowid) FROM " + from + ")");
  database_->step(edges);
  const auto first = static_cast<std::uint64_t>(sqlite3_column_int64(edges.get(), 0));
  const auto last = static_cast<std::uint64_t>(sqlite3_column_int64(edges.get(), 1));
  const auto found = database_->prepare("SELECT " + quote_identifier(selection_.column) + " FROM " +
                                        from + " WHERE rowid >= ?1 ORDER BY rowid LIMIT 1");
  for (std::size_t i = 0; i < kMostDrawn; ++i) {
    const std::uint64_t place =
        first + std::uniform_int_distribution<std::uint64_t>(0, last - first)(random_);
    sqlite3_bind_int64(found.get(), 1, static_cast<sqlite3_int64>(place));
    const bool is_there = database_->step(found);
    const int type = is_there ? sqlite3_column_type(found.get(), 0) : SQLITE_NULL;
    if (type != SQLITE_NULL) writer.write(sqlite3_column_value(found.get(), 0), type, keys);
    sqlite3_reset(found.get());
  }
  now.commit();
  const std::span<const Key> drawn = keys.keys();
  return DrawnKeys{
      .keys = {drawn.begin(), drawn.end()},
      .behind = {.source = state.source(), .position = static_cast<std::uint64_t>(state.last)}};
}

void SqliteChanges::confirm(const Watermark& watermark) {
  if (watermark.source != state_.source()) return;
  confirmed_ =
      std::max(confirmed_, std::min(static_cast<std::int64_t>(watermark.position), position_));
}

// Upkeep: where somebody writes just then, there is another time. And not often: a transaction of
// the application's that has read before, and writes behind this one, is refused by SQLite.
void SqliteChanges::forget_confirmed() noexcept {
  if (confirmed_ <= forgotten_ || Clock::now() < forget_at_) return;
  forget_at_ = Clock::now() + kForgetEvery;
  try {
    database_->wait_for_locks(kForgetPatienceMs);
    const std::string is_much =
        "SELECT 1 FROM " + outbox_->state() + " WHERE bytes >= byte_limit / ";
    if (database_->texts(is_much + std::to_string(kForgetShare)).empty()) return;
    while (forgotten_ < confirmed_) forget_some(confirmed_);
  } catch (const std::exception&) {
    // Forgetting is tried again, and the outbox is bounded whatever happens.
  }
}

void SqliteChanges::forget_some(std::int64_t up_to) {
  SqliteTransaction now(*database_, SqliteTransaction::writes);
  need_state();
  const auto found = database_->prepare(
      "SELECT count(*), max(id), sum(64 + coalesce(length(CAST(key AS BLOB)), 0) + "
      "coalesce(length(CAST(was AS BLOB)), 0)) FROM (SELECT id, key, was FROM " +
      outbox_->changes() + " WHERE id <= ?1 ORDER BY id LIMIT " + std::to_string(kForgetRows) +
      ")");
  sqlite3_bind_int64(found.get(), 1, up_to);
  database_->step(found);
  const std::int64_t count = sqlite3_column_int64(found.get(), 0);
  const std::int64_t last = count < kForgetRows ? up_to : sqlite3_column_int64(found.get(), 1);
  const std::string bytes = std::to_string(sqlite3_column_int64(found.get(), 2));
  sqlite3_reset(found.get());
  database_->run("DELETE FROM " + outbox_->changes() + " WHERE id <= " + std::to_string(last));
  database_->run("UPDATE " + outbox_->state() + " SET confirmed = max(confirmed, " +
                 std::to_string(last) + "), bytes = max(0, bytes - " + bytes + ")");
  now.commit();
  forgotten_ = last;
}

std::string SqliteChanges::remove(const CallContext& context) {
  has_begun_ = false;
  wait_no_longer_than(context);
  return SqliteOutbox::remove(*database_, selection_, options_.slot);
}

}  // namespace bloomery
