// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/sqlite/sqlite_fence.h"

#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

namespace bloomery {

SqliteFence::SqliteFence(std::string path, SqliteSelection selection, ChangeOptions options)
    : path_(std::move(path)), selection_(std::move(selection)), options_(std::move(options)) {
  open();
}

void SqliteFence::open() {
  version_.reset();
  outbox_.reset();
  seen_version_ = -1;
  database_ = std::make_unique<SqliteDatabase>(path_, options_.keys.busy_timeout_ms);
  outbox_ = std::make_unique<SqliteOutbox>(*database_, selection_, options_.slot,
                                           /*needs_touched=*/false);
  version_ = database_->prepare("PRAGMA data_version");
}

Watermark SqliteFence::ask(const CallContext& context) {
  if (context.is_over()) throw CallAborted(path_ + ": the call's time is over");
  try {
    if (!outbox_ || database_->has_moved()) open();
    if (context.deadline != CallContext::kNever) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          context.deadline - CallContext::Clock::now());
      database_->wait_for_locks(static_cast<std::uint32_t>(
          std::clamp<std::int64_t>(left.count(), 0, options_.keys.busy_timeout_ms)));
    }
    return read();
  } catch (const SourceChanged&) {
    seen_version_ = -1;
    throw;
  } catch (const std::invalid_argument& error) {  // a table or a column that is not there
    outbox_.reset();
    throw SourceChanged(error.what());
  } catch (...) {
    outbox_.reset();
    throw;
  }
}

std::int64_t SqliteFence::data_version() {
  sqlite3_reset(version_.get());
  if (!database_->step(version_)) database_->fail(SQLITE_INTERNAL);
  const std::int64_t version = sqlite3_column_int64(version_.get(), 0);
  sqlite3_reset(version_.get());
  return version;
}

Watermark SqliteFence::read() {
  const SqliteDatabase::FileStamp stamp = database_->file_stamp();
  std::int64_t version = data_version();
  if (version == seen_version_) {
    if (stamp == seen_stamp_) return seen_;
    // A checkpoint. Or another file was written over this one, whose changes were as many: what
    // this connection remembers is of the one before.
    open();
    version = data_version();
  }
  SqliteTransaction now(*database_, SqliteTransaction::reads);
  const SqliteOutboxState state = outbox_->read(*database_);
  now.commit();
  seen_ = {.source = state.source(), .position = static_cast<std::uint64_t>(state.last)};
  seen_version_ = version;
  seen_stamp_ = stamp;
  return seen_;
}

}  // namespace bloomery
