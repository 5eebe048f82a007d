// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mariadb/row_reader.h"

#include <array>
#include <utility>

#include "bloomery/place/fence_source.h"

namespace bloomery::mariadb {
namespace {

// kNoTable: the number of the table where a statement wrote no rows.
constexpr std::uint64_t kNoTable = 0xffffff;

bool is_update(EventType type) noexcept {
  return type == EventType::update_rows || type == EventType::update_rows_v2 ||
         type == EventType::compressed_update_rows;
}
bool is_delete(EventType type) noexcept {
  return type == EventType::delete_rows || type == EventType::delete_rows_v2 ||
         type == EventType::compressed_delete_rows;
}
// A length, and so many bytes of it and what it counts, which say nothing about rows.
bool has_more_behind_flags(EventType type) noexcept {
  return type == EventType::write_rows_v2 || type == EventType::update_rows_v2 ||
         type == EventType::delete_rows_v2;
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

RowReader::RowReader(Table table, const KeyForm& form, bool tells_touched)
    : table_(std::move(table)),
      logged_key_(table_.key_column()),
      writer_(form),
      tells_touched_(tells_touched) {}

bool RowReader::is_of_ours(const BinlogEvent& event) const {
  const auto table = tables_.find(ByteCursor(event.body).number(6));
  return table != tables_.end() && table->second.is_ours;
}

void RowReader::map(std::string_view body, bool is_known) {
  TableMap map = read_table_map(body);
  bool is_ours = map.layout.schema == table_.schema && map.layout.table == table_.name;
  if (is_ours) {
    try {
      check_mapping(map);
    } catch (const SourceChanged&) {
      if (!is_known) throw;
      is_ours = false;
    }
  }
  tables_[map.id] = {std::move(map.layout), is_ours};
}

void RowReader::check_mapping(const TableMap& map) const {
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

void RowReader::take(const BinlogEvent& event, LoggedChanges& changes) {
  ByteCursor cursor(event.body);
  const std::uint64_t id = cursor.number(6);
  cursor.take(2);
  if (has_more_behind_flags(event.type)) {
    const std::uint64_t byte_count = cursor.number(2);
    cursor.take(byte_count < 2 ? cursor.left() + 1 : byte_count - 2);
  }
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

void RowReader::touch(const LoggedField& was, LoggedChanges& changes) {
  if (!tells_touched_) return;
  if (!was.is_logged) ++changes.untold_count;
  if (was.is_logged && was.bytes) add_key(*was.bytes, changes.touched);
}

void RowReader::add_key(std::string_view logged, PackedKeys& to) {
  const std::string_view text = logged_key_.text(logged);
  to.keep(writer_.write(text, to.room(writer_.byte_limit(text.size()))));
}

}  // namespace bloomery::mariadb
