// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/sqlite/sqlite_outbox.h"

#include <sqlite3.h>

#include <algorithm>
#include <stdexcept>

#include "bloomery/place/watermark_text.h"
#include "bloomery/source/source_identity.h"
#include "bloomery/source/sql_quotes.h"
#include "bloomery/text/printable.h"

namespace bloomery {
namespace {

constexpr std::size_t kLongestSlot = 200;

// The thousandths of a second since 1970, and room for a million changes in each.
constexpr const char* kNow = "(CAST((julianday('now') - 2440587.5) * 86400000.0 AS INTEGER) << 20)";

std::string quote_text(std::string_view text) {
  return in_sql_quotes(text, '\'');
}

std::string column_text(const SqliteDatabase::Statement& row, int column) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(row.get(), column));
  if (text == nullptr) return {};
  return {text, static_cast<std::size_t>(sqlite3_column_bytes(row.get(), column))};
}

// The name as the schema writes it.
std::string need_table(SqliteDatabase& database, const std::string& table) {
  const auto found = database.prepare(
      "SELECT name, type FROM pragma_table_list WHERE schema = 'main' AND name = ?1 COLLATE "
      "NOCASE");
  sqlite3_bind_text64(found.get(), 1, table.data(), table.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  if (!database.step(found)) {
    throw std::invalid_argument(database.path() + ": has no table " + printable(table));
  }
  if (column_text(found, 1) != "table") {
    throw std::invalid_argument(database.path() + ": " + printable(table) + " is a " +
                                column_text(found, 1) +
                                ", which does not say what changes in it; allowed: a table");
  }
  return column_text(found, 0);
}

std::string need_column(SqliteDatabase& database, const std::string& table,
                        const std::string& column) {
  for (const std::string& name : database.texts("SELECT name FROM pragma_table_xinfo(?1)", table)) {
    if (sqlite3_stricmp(name.c_str(), column.c_str()) == 0) return name;
  }
  throw std::invalid_argument(database.path() + ": table " + printable(table) + " has no column " +
                              printable(column) +
                              "; a rowid that is no column of its own cannot be followed, as "
                              "VACUUM changes it");
}

std::string object_of(const std::string& slot, const char* what) {
  return "bloomery " + slot + " " + what;
}

std::string quoted_column(const std::string& table, const std::string& column) {
  return quote_identifier(table) + "." + quote_identifier(column);
}

bool has_slot(SqliteDatabase& database, const std::string& slot) {
  return !database
              .texts(
                  "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1 COLLATE NOCASE",
                  object_of(slot, "state"))
              .empty();
}

// Somebody may have given the same name to what follows another column. One that is not there any
// more, under this name, nobody follows.
void require_free(SqliteDatabase& database, const std::string& slot, const std::string& ours) {
  if (!has_slot(database, slot)) return;
  const auto followed = database.texts(
      "SELECT followed FROM " + quote_identifier(object_of(slot, "state")) +
      " AS state WHERE EXISTS (SELECT 1 FROM pragma_table_list AS t, pragma_table_xinfo(t.name) AS "
      "c WHERE t.schema = 'main' AND state.followed = '\"' || replace(t.name, '\"', '\"\"') || "
      "'\".\"' || replace(c.name, '\"', '\"\"') || '\"')");
  if (followed.empty() || sqlite3_stricmp(followed[0].c_str(), ours.c_str()) == 0) return;
  throw std::invalid_argument(database.path() + ": slot " + printable(slot) + " follows " +
                              printable(followed[0]) +
                              "; give this one another name, or remove that one first");
}

void drop(SqliteDatabase& database, const std::string& slot) {
  for (const char* const what : {"insert", "update", "delete"}) {
    database.run("DROP TRIGGER IF EXISTS " + quote_identifier(object_of(slot, what)));
  }
  for (const char* const what : {"changes", "state"}) {
    database.run("DROP TABLE IF EXISTS " + quote_identifier(object_of(slot, what)));
  }
}

// The slots of triggers on the table, whatever the table was called when they were made.
std::vector<std::string> slots_of(SqliteDatabase& database, const std::string& table) {
  return database.texts(
      "SELECT substr(name, 10, length(name) - 16) FROM sqlite_schema WHERE type = 'trigger' AND "
      "tbl_name = ?1 COLLATE NOCASE AND name GLOB 'bloomery * insert'",
      table);
}

}  // namespace

SqliteTransaction::SqliteTransaction(SqliteDatabase& database, Kind kind) : database_(database) {
  database_.run(kind == writes ? "BEGIN IMMEDIATE" : "BEGIN");
}

SqliteTransaction::~SqliteTransaction() {
  if (is_open_) sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void SqliteTransaction::commit() {
  database_.run("COMMIT");
  is_open_ = false;
}

Identity SqliteOutboxState::source() const {
  return identity_of({"sqlite", file, instance, epoch, std::to_string(schema)});
}

SqliteOutbox::SqliteOutbox(SqliteDatabase& database, const SqliteSelection& selection,
                           const std::string& slot, bool needs_touched)
    : file_(database.file_identity()),
      table_(need_table(database, selection.table)),
      column_(need_column(database, table_, selection.column)),
      slot_(slot.empty() ? table_ + "." + column_ : slot),
      needs_touched_(needs_touched) {
  if (slot_.size() > kLongestSlot || slot_.find('\0') != std::string::npos) {
    throw std::invalid_argument(database.path() + ": " + printable(slot_) +
                                " is no name for a slot; allowed: up to " +
                                std::to_string(kLongestSlot) + " bytes, none of them NUL");
  }
  changes_ = quote_identifier(object("changes"));
  state_ = quote_identifier(object("state"));
}

// A change is the key that came, if one did; whether one went; and, for who asks for that, what the
// key was of a row that was changed in any way.
SqliteOutbox::Triggers SqliteOutbox::triggers(bool tells_touched) const {
  const std::string column_name = quote_identifier(column_);
  const std::string was = "OLD." + column_name;
  const std::string is = "NEW." + column_name;
  // Compares values as they are stored, whatever the column calls equal.
  const std::string differs = "(" + is + " COLLATE BINARY IS NOT " + was +
                              " COLLATE BINARY OR typeof(" + is + ") <> typeof(" + was +
                              ") OR typeof(" + is + ") = 'real')";
  const auto size = [](const std::string& value) {
    return "coalesce(length(CAST(" + value + " AS BLOB)), 0)";
  };
  const auto on = [&](const char* event, const std::string& when) {
    return std::string("AFTER ") + event + " ON " + quote_identifier(table_) + " WHEN " + when;
  };
  const auto record = [&](const std::string& key, const std::string& gone,
                          const std::string& touched) {
    return " BEGIN UPDATE " + state_ + " SET last = max(last + 1, " + kNow +
           " + (random() & 1048575)), bytes = bytes + 64 + " + size(key) + " + " + size(touched) +
           ", has_gap = has_gap OR bytes > byte_limit; INSERT INTO " + changes_ +
           "(id, key, gone, was) SELECT last, " + key + ", " + gone + ", " + touched + " FROM " +
           state_ + " WHERE NOT has_gap; END";
  };
  const std::string came = on("INSERT", is + " IS NOT NULL") + record(is, "0", "NULL");
  const std::string changed =
      tells_touched ? on("UPDATE", is + " IS NOT NULL OR " + was + " IS NOT NULL") +
                          record("CASE WHEN " + differs + " THEN " + is + " END",
                                 differs + " AND " + was + " IS NOT NULL", was)
                    : on("UPDATE", differs) + record(is, was + " IS NOT NULL", "NULL");
  const std::string went =
      on("DELETE", was + " IS NOT NULL") + record("NULL", "1", tells_touched ? was : "NULL");
  return {trigger("insert", came), trigger("update", changed), trigger("delete", went)};
}

std::string SqliteOutbox::object(const char* what) const {
  return object_of(slot_, what);
}

// The statement as SQLite keeps its text.
std::string SqliteOutbox::trigger(const char* what, const std::string& rest) const {
  return "CREATE TRIGGER " + quote_identifier(object(what)) + " " + rest;
}

void SqliteOutbox::changed(const SqliteDatabase& database, const std::string& why) const {
  throw SourceChanged(database.path() + ": " + printable(table_) + "." + printable(column_) +
                      ", slot " + printable(slot_) + ": " + why);
}

std::string SqliteOutbox::remove(SqliteDatabase& database, const SqliteSelection& selection,
                                 const std::string& slot) {
  const std::string ours = slot.empty() ? selection.table + "." + selection.column : slot;
  SqliteTransaction now(database, SqliteTransaction::writes);
  std::string others;
  if (!has_slot(database, ours)) {
    for (const std::string& each : slots_of(database, selection.table)) {
      others += (others.empty() ? "" : ", ") + printable(each);
    }
  }
  require_free(database, ours, quoted_column(selection.table, selection.column));
  drop(database, ours);
  now.commit();
  if (others.empty()) return {};
  return "nothing is there of slot " + printable(ours) +
         "; what is on this table is of other slots, which --slot names: " + others;
}

void SqliteOutbox::create(SqliteDatabase& database, std::uint64_t byte_limit) const {
  require_free(database, slot_, quoted_column(table_, column_));
  drop(database, slot_);
  const std::int64_t limit =
      static_cast<std::int64_t>(std::min<std::uint64_t>(byte_limit, std::uint64_t{1} << 62));
  database.run("CREATE TABLE " + changes_ + "(id INTEGER PRIMARY KEY, key, gone INTEGER, was)");
  database.run("CREATE TABLE " + state_ +
               "(followed TEXT, instance TEXT, epoch TEXT, last INTEGER, confirmed INTEGER, bytes "
               "INTEGER, byte_limit INTEGER, has_gap INTEGER)");
  database.run("INSERT INTO " + state_ + " SELECT " + quote_text(quoted_column(table_, column_)) +
               ", " + quote_text(identity_text(Identity::random())) + ", " +
               quote_text(identity_text(Identity::random())) + ", " + kNow + ", " + kNow + ", 0, " +
               std::to_string(limit) + ", 0");
  for (const std::string& each : triggers(needs_touched_)) database.run(each);
}

// Throws unless the triggers are as they were made, and run before any other but those of other
// slots: a trigger that was made later could end a statement by RAISE(FAIL), which keeps the row
// that ours has not seen.
void SqliteOutbox::verify(SqliteDatabase& database) const {
  auto found = database.texts(
      "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?1 COLLATE NOCASE AND "
      "(name NOT GLOB 'bloomery *' OR name IN (" +
          quote_text(object("insert")) + ", " + quote_text(object("update")) + ", " +
          quote_text(object("delete")) + ")) ORDER BY rowid DESC LIMIT 3",
      table_);
  std::ranges::reverse(found);
  const bool is_ours = found == triggers(true) || (!needs_touched_ && found == triggers(false));
  if (!is_ours) changed(database, "its triggers are not, or no longer, as they were made");
  const auto tables =
      database.texts("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name IN (" +
                     quote_text(object("state")) + ", " + quote_text(object("changes")) + ")");
  if (tables.size() != 2) changed(database, "its tables are gone");
}

SqliteOutboxState SqliteOutbox::read(SqliteDatabase& database) {
  const auto version = database.prepare("PRAGMA schema_version");
  if (!database.step(version)) database.fail(SQLITE_INTERNAL);
  SqliteOutboxState state;
  state.file = file_;
  state.schema = sqlite3_column_int64(version.get(), 0);
  if (state.schema != verified_schema_) {
    verify(database);
    verified_schema_ = state.schema;
  }
  const auto row = database.prepare("SELECT instance, epoch, last, confirmed, has_gap FROM " +
                                    state_ + " LIMIT 1");
  if (!database.step(row)) changed(database, "its state is gone");
  state.instance = column_text(row, 0);
  state.epoch = column_text(row, 1);
  state.last = sqlite3_column_int64(row.get(), 2);
  state.confirmed = sqlite3_column_int64(row.get(), 3);
  state.has_gap = sqlite3_column_int(row.get(), 4) != 0;
  return state;
}

bool SqliteOutbox::has_been_at(SqliteDatabase& database, const SqliteOutboxState& state,
                               std::int64_t position) const {
  if (position < state.confirmed || position > state.last) return false;
  if (position == state.confirmed || position == state.last) return true;
  const auto found = database.prepare("SELECT 1 FROM " + changes_ + " WHERE id = ?1");
  sqlite3_bind_int64(found.get(), 1, position);
  return database.step(found);
}

}  // namespace bloomery
