// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mariadb/binlog_reader.h"

#include <limits>
#include <utility>

#include "bloomery/place/fence_source.h"
#include "bloomery/source/mariadb/logged_statement.h"
#include "bloomery/text/printable.h"

namespace bloomery::mariadb {
namespace {

// Limits of transactions in two phases that have not ended.
constexpr std::size_t kMostPrepared = 100'000;
constexpr std::size_t kMostPreparedBytes = std::size_t{64} << 20;
}  // namespace

void LoggedChanges::append(LoggedChanges& from) {
  keys.append(from.keys);
  deleted_count += from.deleted_count;
  touched.append(from.touched);
  untold_count += from.untold_count;
  if (from.position) position = from.position;
  if (from.end) end = from.end;
  is_open = from.is_open;
  from.clear();
}

void LoggedChanges::clear() noexcept {
  keys.clear();
  deleted_count = 0;
  touched.clear();
  untold_count = 0;
  position.reset();
  end.reset();
}

BinlogReader::BinlogReader(Table table, const KeyForm& form, GtidState state, LogFile file,
                           std::uint64_t known, bool tells_touched)
    : rows_(std::move(table), form, tells_touched),
      state_(std::move(state)),
      file_(std::move(file)),
      known_sum_(LogPosition::sum(known)) {}

BinlogReader BinlogReader::before(Table table, const KeyForm& form, LogFile file) {
  constexpr auto kAll = std::numeric_limits<std::uint64_t>::max();
  BinlogReader reader(std::move(table), form, {}, std::move(file), kAll);
  reader.takes_known_ = true;
  return reader;
}

void BinlogReader::read(std::string_view packet, LoggedChanges& changes) {
  const BinlogEvent event = events_.read(packet);
  const bool was_open = transaction_.has_value();
  take(event, changes);
  changes.is_open = transaction_.has_value();
  if (was_open && !changes.is_open) changes.end = log_place(file_.number, event.end);
}

void BinlogReader::take(const BinlogEvent& event, LoggedChanges& changes) {
  switch (event.type) {
    case EventType::gtid:
      return begin_transaction(event, changes);
    case EventType::commit:
    case EventType::xa_prepare:
      return end_transaction(changes);
    case EventType::query:
    case EventType::compressed_query:
      return read_statement_event(event, changes);
    case EventType::table_map:
      return rows_.map(event.body, is_known());
    case EventType::write_rows:
    case EventType::update_rows:
    case EventType::delete_rows:
    case EventType::compressed_write_rows:
    case EventType::compressed_update_rows:
    case EventType::compressed_delete_rows:
      return read_rows(event, changes);
    case EventType::heartbeat:
      // Sent when all of the log is sent.
      return tell_position(changes);
    case EventType::rotate:
      return rotate(event);
    case EventType::gtid_list:
      return begin_file(event, changes);
    case EventType::stop:
    case EventType::format_description:
    case EventType::annotate_rows:
    case EventType::checkpoint:
    case EventType::start_encryption:
    // Parts of a statement, which is judged.
    case EventType::integer_variable:
    case EventType::random_seed:
    case EventType::user_variable:
      return;
    case EventType::incident:
    case EventType::rows_query:
    case EventType::write_rows_v2:
    case EventType::update_rows_v2:
    case EventType::delete_rows_v2:
    case EventType::mysql_gtid:
    case EventType::anonymous_gtid:
    case EventType::previous_gtids:
    case EventType::transaction_context:
    case EventType::view_change:
    case EventType::partial_update_rows:
    case EventType::transaction_payload:
    case EventType::heartbeat_v2:
    case EventType::tagged_gtid:
      break;
  }
  if (takes_known_) return;
  throw SourceChanged("the binary log has an event of type " +
                      std::to_string(static_cast<unsigned>(event.type)) +
                      ", which is unknown here");
}

void BinlogReader::begin_transaction(const BinlogEvent& event, LoggedChanges& changes) {
  if (transaction_ && !takes_known_) {
    throw SourceChanged("the binary log has a transaction without an end");
  }
  transaction_ = read_gtid(event.body);
  if (takes_known_) return;
  const bool is_new_domain = !state_.has(transaction_->domain);
  const bool was_known = state_.sum() < known_sum_;
  state_.advance(transaction_->domain, event.server, transaction_->number);
  if (was_known && !is_known()) {
    throw SourceChanged("the binary log was never where the filter is: it is another one");
  }
  // The identity of the source has all domains.
  if (is_new_domain && !is_known()) {
    throw SourceChanged("transactions of the domain " + std::to_string(transaction_->domain) +
                        " have come into the binary log, which had none");
  }
  if (is_known()) return;
  if (transaction_->has(GtidEvent::kXaPrepared)) prepare(transaction_->xa_name);
  if (transaction_->has(GtidEvent::kXaCompleted)) complete(transaction_->xa_name, changes);
}

void BinlogReader::prepare(const std::string& xa_name) {
  if (prepared_.size() >= kMostPrepared) {
    throw SourceChanged("too many transactions are prepared (XA) and not ended");
  }
  prepared_bytes_ -= prepared_[xa_name].memory();
  prepared_[xa_name].clear();
}

// Takes the rows of a transaction that was prepared earlier. No scan saw rows that were prepared in
// a part of the log that is known.
void BinlogReader::complete(const std::string& xa_name, LoggedChanges& changes) {
  const auto found = prepared_.find(xa_name);
  if (found == prepared_.end()) {
    throw SourceChanged(
        "a transaction ended (XA) that was prepared before the log was followed: its rows have "
        "not come");
  }
  prepared_bytes_ -= found->second.memory();
  changes.append(found->second);
  prepared_.erase(found);
}

void BinlogReader::end_transaction(LoggedChanges& changes) {
  if (!transaction_) throw SourceChanged("the binary log has an end without a transaction");
  transaction_.reset();
  rows_.forget_tables();
  tell_position(changes);
}

void BinlogReader::tell_position(LoggedChanges& changes) const {
  if (transaction_ || is_between_files_ || state_.sum() < known_sum_) return;
  changes.position = LogPosition::of(state_.sum(), file_.number);
}

// A file begins with what all before it had.
void BinlogReader::begin_file(const BinlogEvent& event, LoggedChanges& changes) {
  if (event.is_made_up || takes_known_) return;
  const auto listed = read_gtid_list(event.body);
  if (!listed) return;
  if (listed->text() != state_.text()) {
    throw SourceChanged("a file of the binary log begins at " + printable(listed->text(), 200) +
                        ", and the one before ended at " + printable(state_.text(), 200) +
                        ": domains were deleted, or the log began anew");
  }
  is_between_files_ = false;
  tell_position(changes);
}

void BinlogReader::rotate(const BinlogEvent& event) {
  const std::string_view name = read_rotation(event.body);
  if (!event.is_made_up) {
    const LogFile next(name);
    if (next.base != file_.base) {
      throw SourceChanged("the files of the binary log are called otherwise now: " + next.name());
    }
    file_ = next;
    is_between_files_ = true;
  } else if (!name.starts_with(file_.name())) {
    throw SourceChanged("the binary log goes on in another file than " + file_.name());
  }
}

void BinlogReader::read_statement_event(const BinlogEvent& event, LoggedChanges& changes) {
  const std::string_view statement = read_statement(event, room_);
  if (!transaction_) {
    throw SourceChanged("a statement stands outside of all transactions in the binary log: " +
                        printable(statement, 200));
  }
  const LoggedStatement meaning =
      judge_statement(statement, rows_.table().schema, rows_.table().name);
  if (meaning == LoggedStatement::end) return end_transaction(changes);
  if (meaning == LoggedStatement::unknown && !is_known()) {
    throw SourceChanged("a statement may have changed " + rows_.table().schema + "." +
                        rows_.table().name +
                        " without its rows in the log: " + printable(statement, 200));
  }
  const bool is_all = transaction_->has(GtidEvent::kStandalone);
  if (is_all && meaning != LoggedStatement::begin) end_transaction(changes);
}

void BinlogReader::read_rows(const BinlogEvent& event, LoggedChanges& changes) {
  if (!transaction_) throw SourceChanged("the binary log has rows outside of all transactions");
  if (is_known()) return take_known_rows(event, changes);
  if (!transaction_->has(GtidEvent::kXaPrepared)) return rows_.take(event, changes);
  LoggedChanges& prepared = prepared_[transaction_->xa_name];
  const std::size_t before = prepared.memory();
  rows_.take(event, prepared);
  prepared_bytes_ += prepared.memory() - before;
  if (prepared_bytes_ > kMostPreparedBytes) {
    throw SourceChanged("transactions that are prepared (XA) and not ended have too many rows");
  }
}

// Takes rows of a known transaction. Rows of a transaction that is only prepared come when it ends.
void BinlogReader::take_known_rows(const BinlogEvent& event, LoggedChanges& changes) {
  if (!takes_known_ || transaction_->has(GtidEvent::kXaPrepared)) return;
  try {
    rows_.take(event, changes);
  } catch (const SourceChanged&) {
    // The key of a row is not in the log.
  }
}

}  // namespace bloomery::mariadb
