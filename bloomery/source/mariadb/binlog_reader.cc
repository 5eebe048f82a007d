// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mariadb/binlog_reader.h"

#include <array>
#include <limits>
#include <utility>

#include "bloomery/place/fence_source.h"
#include "bloomery/source/mariadb/logged_statement.h"
#include "bloomery/text/printable.h"

namespace bloomery::mariadb {
namespace {

// Of transactions in two phases that have not ended.
constexpr std::size_t kMostPrepared = 100'000;
constexpr std::size_t kMostPreparedBytes = std::size_t{64} << 20;
// What a statement that wrote no rows is mapped to.
constexpr std::uint64_t kNoTable = 0xffffff;

bool is_update(EventType type) noexcept {
  return type == EventType::update_rows || type == EventType::compressed_update_rows;
}
bool is_delete(EventType type) noexcept {
  return type == EventType::delete_rows || type == EventType::compressed_delete_rows;
}
bool is_compressed(EventType type) noexcept {
  return type >= EventType::compressed_write_rows;
}

// The default of a column that is left out is no part of a small image, nor is what stays as it is:
// nobody can tell one from the other (REPLACE is logged as an update).
const LoggedField& check_logged(const LoggedField& key) {
  if (key.is_logged) return key;
  throw SourceChanged(
      "a row was inserted or updated without its key in the log (binlog_row_image=MINIMAL in a "
      "session); set it FULL");
}

// Columns of times as MariaDB stored them before 10.1 have other sizes than their type says.
bool has_old_fraction(const RowLayout::Field& field, const Column& column) noexcept {
  constexpr std::array<std::uint8_t, 3> kOldTimes{7, 11, 12};
  for (const std::uint8_t type : kOldTimes) {
    if (field.type == type && column.precision > 0) return true;
  }
  return false;
}

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
    : table_(std::move(table)),
      logged_key_(table_.key_column()),
      writer_(form),
      state_(std::move(state)),
      file_(std::move(file)),
      known_sum_(LogPosition::sum(known)),
      tells_touched_(tells_touched) {}

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
      return map_table(event.body);
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

// What was prepared in a known part of the log is not known: no scan saw it.
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
  tables_.clear();
  tell_position(changes);
}

void BinlogReader::tell_position(LoggedChanges& changes) const {
  if (transaction_ || state_.sum() < known_sum_) return;
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
  const LoggedStatement meaning = judge_statement(statement, table_.schema, table_.name);
  if (meaning == LoggedStatement::end) return end_transaction(changes);
  if (meaning == LoggedStatement::unknown && !is_known()) {
    throw SourceChanged("a statement may have changed " + table_.schema + "." + table_.name +
                        " without its rows in the log: " + printable(statement, 200));
  }
  const bool is_all = transaction_->has(GtidEvent::kStandalone);
  if (is_all && meaning != LoggedStatement::begin) end_transaction(changes);
}

void BinlogReader::map_table(std::string_view body) {
  TableMap map = read_table_map(body);
  bool is_ours = map.layout.schema == table_.schema && map.layout.table == table_.name;
  if (is_ours) {
    try {
      check_mapping(map);
    } catch (const SourceChanged&) {
      if (!is_known()) throw;
      is_ours = false;
    }
  }
  tables_[map.id] = {std::move(map.layout), is_ours};
}

void BinlogReader::check_mapping(const TableMap& map) const {
  const RowLayout& layout = map.layout;
  if (map.has_unknown_type) {
    throw SourceChanged("the binary log has a column of an unknown type in " + table_.schema + "." +
                        table_.name);
  }
  if (layout.fields.size() != table_.columns.size()) {
    throw SourceChanged(
        table_.schema + "." + table_.name + " has " + std::to_string(layout.fields.size()) +
        " columns in the binary log, and this user sees " + std::to_string(table_.columns.size()) +
        ": it was altered, has hidden columns, or the user has no right to some");
  }
  logged_key_.check_type(layout.fields[table_.key]);
  for (std::size_t i = 0; i < layout.fields.size(); ++i) {
    if (!has_old_fraction(layout.fields[i], table_.columns[i])) continue;
    throw SourceChanged("column " + table_.columns[i].name +
                        " is stored as before MariaDB 10.1; ALTER TABLE ... FORCE renews it");
  }
}

void BinlogReader::read_rows(const BinlogEvent& event, LoggedChanges& changes) {
  if (!transaction_) throw SourceChanged("the binary log has rows outside of all transactions");
  if (is_known()) return take_known_rows(event, changes);
  if (!transaction_->has(GtidEvent::kXaPrepared)) return take_rows(event, changes);
  LoggedChanges& prepared = prepared_[transaction_->xa_name];
  const std::size_t before = prepared.memory();
  take_rows(event, prepared);
  prepared_bytes_ += prepared.memory() - before;
  if (prepared_bytes_ > kMostPreparedBytes) {
    throw SourceChanged("transactions that are prepared (XA) and not ended have too many rows");
  }
}

// Those of a transaction that is only prepared come when it ends.
void BinlogReader::take_known_rows(const BinlogEvent& event, LoggedChanges& changes) {
  if (!takes_known_ || transaction_->has(GtidEvent::kXaPrepared)) return;
  try {
    take_rows(event, changes);
  } catch (const SourceChanged&) {
    // Its key is not in the log.
  }
}

void BinlogReader::take_rows(const BinlogEvent& event, LoggedChanges& changes) {
  ByteCursor cursor(event.body);
  const std::uint64_t id = cursor.number(6);
  cursor.take(2);
  const auto table = tables_.find(id);
  if (table == tables_.end()) {
    if (id == kNoTable) return;
    throw SourceChanged("the binary log has rows of a table that it does not name");
  }
  if (!table->second.is_ours) return;
  const RowLayout& layout = table->second.layout;
  if (cursor.packed_number() != layout.fields.size()) {
    throw SourceChanged("the binary log has rows with other columns than their table");
  }
  const std::size_t bitmap_bytes = (layout.fields.size() + 7) / 8;
  const std::string_view before = cursor.take(bitmap_bytes);
  const bool updates = is_update(event.type);
  const std::string_view after = updates ? cursor.take(bitmap_bytes) : before;
  ByteCursor rows(is_compressed(event.type) ? uncompress(cursor.rest(), room_) : cursor.rest());
  while (rows.left() > 0) {
    const LoggedField first = take_row(layout, before, table_.key, rows);
    if (updates || is_delete(event.type)) touch(first, changes);
    if (is_delete(event.type)) {
      changes.deleted_count += !first.is_logged || first.bytes ? 1 : 0;
      continue;
    }
    if (!updates) {
      if (check_logged(first).bytes) add_key(*first.bytes, changes.keys);
      continue;
    }
    const LoggedField second = check_logged(take_row(layout, after, table_.key, rows));
    const bool is_same = first.is_logged && first.bytes == second.bytes;
    if (is_same) continue;
    if (first.is_logged && first.bytes) ++changes.deleted_count;
    if (second.bytes) add_key(*second.bytes, changes.keys);
  }
}

void BinlogReader::touch(const LoggedField& was, LoggedChanges& changes) {
  if (!tells_touched_) return;
  if (!was.is_logged) ++changes.untold_count;
  if (was.is_logged && was.bytes) add_key(*was.bytes, changes.touched);
}

void BinlogReader::add_key(std::string_view logged, PackedKeys& to) {
  const std::string_view text = logged_key_.text(logged);
  to.keep(writer_.write(text, to.room(writer_.byte_limit(text.size()))));
}

}  // namespace bloomery::mariadb
