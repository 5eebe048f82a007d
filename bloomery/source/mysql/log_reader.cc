// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mysql/log_reader.h"

#include <string>
#include <utility>

#include "bloomery/place/fence_source.h"
#include "bloomery/source/mariadb/log_place.h"
#include "bloomery/source/mariadb/logged_statement.h"
#include "bloomery/source/mysql/payload.h"
#include "bloomery/text/printable.h"

namespace bloomery::mysql {
namespace {

using mariadb::BinlogEvent;
using mariadb::EventType;
using mariadb::LoggedChanges;
using mariadb::LoggedStatement;

[[noreturn]] void refuse_xa() {
  throw SourceChanged(
      "the binary log has a transaction in two phases (XA), whose rows are logged before they are "
      "committed; these are not followed");
}

}  // namespace

LogReader::LogReader(mariadb::Table table, const KeyForm& form, Stretch stretch, bool tells_touched)
    : rows_(std::move(table), form, tells_touched),
      at_(std::move(stretch.from)),
      known_(stretch.known),
      old_(stretch.old) {}

void LogReader::read(std::string_view packet, LoggedChanges& changes) {
  const BinlogEvent event = events_.read(packet);
  advance(event);
  take(event, changes);
  changes.is_open = part_ != Part::between;
}

// Events say where they end in 32 bits, though files grow beyond. The server sends some that stand
// nowhere in the file.
void LogReader::advance(const BinlogEvent& event) {
  const bool is_in_file = !event.is_made_up && event.type != EventType::heartbeat &&
                          event.type != EventType::heartbeat_v2 &&
                          !(event.type == EventType::format_description && event.end == 0);
  if (!is_in_file) return;
  at_.offset += event.length;
  if (static_cast<std::uint32_t>(at_.offset) == event.end) return;
  throw SourceChanged("an event in " + at_.file.name() + " of the binary log ends at " +
                      std::to_string(event.end) + ", and by the lengths of all before it at " +
                      std::to_string(at_.offset));
}

void LogReader::take(const BinlogEvent& event, LoggedChanges& changes) {
  switch (event.type) {
    case EventType::mysql_gtid:
    case EventType::anonymous_gtid:
    case EventType::tagged_gtid:
      return begin(event);
    case EventType::query:
      return read_statement_event(event, changes);
    case EventType::commit:
      require_inside();
      return end(changes);
    case EventType::table_map:
      require_inside();
      return rows_.map(event.body, is_known_ || is_old_);
    case EventType::write_rows:
    case EventType::update_rows:
    case EventType::delete_rows:
    case EventType::write_rows_v2:
    case EventType::update_rows_v2:
    case EventType::delete_rows_v2:
      require_inside();
      if (!is_known_) rows_.take(event, changes);
      return;
    case EventType::partial_update_rows:
      require_inside();
      if (is_known_ || !rows_.is_of_ours(event)) return;
      throw SourceChanged(
          "a row was logged in part (binlog_row_value_options=PARTIAL_JSON in a session), which "
          "is not read; leave that empty");
    case EventType::transaction_payload:
      return take_payload(event, changes);
    case EventType::xa_prepare:
      require_inside();
      if (!is_known_ && !is_old_) refuse_xa();
      return end(changes);
    case EventType::heartbeat:
    case EventType::heartbeat_v2:
    case EventType::previous_gtids:
      return tell_position(changes);
    case EventType::rotate:
      return rotate(event);
    case EventType::stop:
    case EventType::format_description:
    case EventType::rows_query:
    // Parts of a statement, which is judged.
    case EventType::integer_variable:
    case EventType::random_seed:
    case EventType::user_variable:
      return;
    case EventType::incident:
      throw SourceChanged("the server has lost a part of its binary log (an incident)");
    case EventType::transaction_context:
    case EventType::view_change:
      throw SourceChanged("the binary log is one of Group Replication, which is not followed");
    // MariaDB's.
    case EventType::annotate_rows:
    case EventType::checkpoint:
    case EventType::gtid:
    case EventType::gtid_list:
    case EventType::start_encryption:
    case EventType::compressed_query:
    case EventType::compressed_write_rows:
    case EventType::compressed_update_rows:
    case EventType::compressed_delete_rows:
      break;
  }
  throw SourceChanged("the binary log has an event of type " +
                      std::to_string(static_cast<unsigned>(event.type)) +
                      ", which is unknown here");
}

// All events of a transaction but its number, compressed together.
void LogReader::take_payload(const BinlogEvent& event, LoggedChanges& changes) {
  if (part_ != Part::begun) {
    throw SourceChanged("the binary log has a compressed transaction without a number");
  }
  if (is_known_) return end(changes);
  Payload payload(event.body);
  while (const auto inner = payload.next()) {
    const BinlogEvent each = mariadb::read_bare_event(*inner);
    const bool is_of_file = each.type == EventType::rotate ||
                            each.type == EventType::format_description ||
                            each.type == EventType::transaction_payload;
    if (is_of_file || part_ == Part::between) {
      throw SourceChanged(
          "a compressed transaction of the binary log has more than its own events");
    }
    take(each, changes);
  }
  if (part_ != Part::between) {
    throw SourceChanged("a compressed transaction of the binary log has no end");
  }
}

void LogReader::begin(const BinlogEvent& event) {
  if (part_ != Part::between) {
    throw SourceChanged("the binary log has a transaction without an end");
  }
  part_ = Part::begun;
  const std::uint64_t begun_at = position_of(at_.file, at_.offset - event.length);
  is_known_ = begun_at < known_;
  is_old_ = begun_at < old_;
}

void LogReader::end(LoggedChanges& changes) {
  part_ = Part::between;
  is_known_ = false;
  rows_.forget_tables();
  changes.end = at_.position();
  tell_position(changes);
}

void LogReader::tell_position(LoggedChanges& changes) const {
  if (part_ != Part::between || at_.position() < known_) return;
  changes.position = at_.position();
}

void LogReader::require_inside() const {
  if (part_ == Part::inside) return;
  throw SourceChanged("the binary log has a part of a transaction outside of all");
}

void LogReader::rotate(const BinlogEvent& event) {
  const std::string_view name = mariadb::read_rotation(event.body);
  if (event.is_made_up) {
    if (name.starts_with(at_.file.name())) return;
    throw SourceChanged("the binary log goes on in another file than " + at_.file.name());
  }
  mariadb::LogFile next(name);
  if (part_ != Part::between || next.base != at_.file.base || next.number != at_.file.number + 1) {
    throw SourceChanged("the binary log goes on in " + next.name() + " behind " + at_.file.name());
  }
  at_ = {std::move(next), mariadb::LogPlace::kBegin};
}

void LogReader::read_statement_event(const BinlogEvent& event, LoggedChanges& changes) {
  const std::string_view statement = mariadb::read_statement(event, room_);
  if (part_ == Part::between) {
    throw SourceChanged("a statement stands outside of all transactions in the binary log: " +
                        printable(statement, 200));
  }
  const auto& table = rows_.table();
  const LoggedStatement meaning = mariadb::judge_statement(statement, table.schema, table.name);
  const bool is_xa = mariadb::is_xa_statement(statement);
  if (is_xa && !is_known_ && !is_old_) refuse_xa();
  const bool is_harmless = is_known_ || (is_old_ && mariadb::is_definition_alone(statement));
  if (meaning == LoggedStatement::unknown && !is_harmless) {
    throw SourceChanged("a statement may have changed " + table.schema + "." + table.name +
                        " without its rows in the log: " + printable(statement, 200));
  }
  const bool begins = meaning == LoggedStatement::begin ||
                      (is_xa && part_ == Part::begun && meaning == LoggedStatement::neutral);
  if (part_ == Part::begun && begins) {
    part_ = Part::inside;
    return;
  }
  // A definition is a transaction of its own, unless it is a part of one (CREATE TABLE ... SELECT).
  if (part_ == Part::begun || meaning == LoggedStatement::end) end(changes);
}

}  // namespace bloomery::mysql
