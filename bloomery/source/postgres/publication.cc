// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/postgres/publication.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>

#include "bloomery/errors.h"
#include "bloomery/source/postgres/table_question.h"
#include "bloomery/text/hex_word.h"
#include "bloomery/text/printable.h"

namespace bloomery::postgres {
namespace {

// The table and all below it, each with what the server says of a row that was. A deferrable key
// is none: the server does not take it.
constexpr const char* kTree = R"(
WITH RECURSIVE tree AS (
  SELECT $1::oid AS oid
  UNION ALL
  SELECT i.inhrelid FROM tree JOIN pg_inherits i ON i.inhparent = tree.oid)
SELECT c.oid::regclass::text, c.relkind, c.relpersistence, c.relreplident,
       coalesce((SELECT array_agg(a.attname ORDER BY a.attname)::text[]
                 FROM pg_index x JOIN pg_attribute a
                   ON a.attrelid = x.indrelid AND a.attnum = ANY (x.indkey)
                 WHERE x.indrelid = c.oid AND x.indisvalid AND x.indimmediate
                   AND CASE c.relreplident WHEN 'd' THEN x.indisprimary
                                           WHEN 'i' THEN x.indisreplident ELSE false END),
                '{}') = '{}',
       c.oid = $1::oid
FROM tree JOIN pg_class c ON c.oid = tree.oid ORDER BY c.oid = $1::oid DESC, 1)";

// Columns of the replica identities of all of them.
constexpr const char* kIdentityColumns = R"(
WITH RECURSIVE tree AS (
  SELECT $1::oid AS oid
  UNION ALL
  SELECT i.inhrelid FROM tree JOIN pg_inherits i ON i.inhparent = tree.oid)
SELECT DISTINCT a.attname
FROM tree JOIN pg_class c ON c.oid = tree.oid
JOIN pg_index x ON x.indrelid = c.oid AND x.indisvalid AND x.indimmediate
  AND CASE c.relreplident WHEN 'd' THEN x.indisprimary
                          WHEN 'i' THEN x.indisreplident ELSE false END
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (x.indkey))";

constexpr const char* kAllColumns = R"(
SELECT attname, atttypid, attgenerated <> '' FROM pg_attribute
WHERE attrelid = $1::oid AND attnum > 0 AND NOT attisdropped ORDER BY attnum)";

// The publication of the name as a text that can be compared.
constexpr const char* kDefinition = R"(
SELECT concat_ws(' ', p.puballtables, p.pubinsert, p.pubupdate, p.pubdelete, p.pubtruncate,
                 p.pubviaroot,
                 (SELECT string_agg(concat_ws(' ', r.prrelid, r.prqual IS NULL), ';')
                  FROM pg_publication_rel r WHERE r.prpubid = p.oid))
FROM pg_publication p WHERE p.pubname = $1)";
// Only from version 15 on there are lists of columns.
constexpr const char* kDefinedColumns = R"(
SELECT string_agg(a.attname, E'\n' ORDER BY a.attnum)
FROM pg_publication p JOIN pg_publication_rel r ON r.prpubid = p.oid
JOIN pg_attribute a ON a.attrelid = r.prrelid AND a.attnum = ANY (r.prattrs)
WHERE p.pubname = $1)";

constexpr int kColumnLists = 150000;

bool is_t(std::string_view text) {
  return text == "t";
}

[[noreturn]] void refuse_table(const Connection& connection, const std::string& why) {
  throw std::invalid_argument(connection.name() + ": cannot be followed: " + why);
}

void check_column(const Connection& connection, const SelectedTable& table) {
  if (table.kind != 'r' && table.kind != 'p') {
    refuse_table(connection, printable(table.table) + " is no table; follow those that it reads");
  }
  if (table.is_generated) {
    refuse_table(connection,
                 "the column is generated, and the server does not say what it becomes");
  }
  if (!prints_alike(table.type)) {
    refuse_table(connection,
                 "keys of type " + printable(table.type.type) +
                     " may be printed otherwise without any row being changed; allowed: "
                     "numbers, texts, bytea, uuid, dates and times, network addresses");
  }
}

// Drops a publication of UPDATEs: because of it the server would refuse UPDATEs of the table.
void withdraw_publication(Connection& connection, const std::string& name,
                          const CallContext& context) {
  const Result found = connection.query(
      "SELECT FROM pg_publication WHERE pubname = $1 AND pubupdate", {name}, context);
  // A publication that its owner made is left to its owner.
  if (found.rows() > 0) connection.try_query("DROP PUBLICATION " + quoted_name(name), context);
}

std::string parts_sentence(const Result& tree, int row) {
  return std::string(tree.at(row, 0)) + (row == 0 ? "" : ", a part of it,");
}

// Returns whether each table says which row an UPDATE meets.
bool has_identities(const Connection& connection, const SelectedTable& table, const Result& tree,
                    bool& sends_whole_rows) {
  bool all = true;
  for (int row = 0; row < tree.rows(); ++row) {
    const char kind = tree.at(row, 1).at(0);
    const char persistence = tree.at(row, 2).at(0);
    const char identity = tree.at(row, 3).at(0);
    if (kind != 'r' && kind != 'p') {
      refuse_table(connection, parts_sentence(tree, row) + " is a foreign table");
    }
    if (persistence != 'p') {
      refuse_table(connection,
                   parts_sentence(tree, row) + " is not kept in the log (UNLOGGED or temporary)");
    }
    if (table.kind == 'r' && row > 0) {
      refuse_table(connection, "other tables inherit from it; make them partitions");
    }
    // Partitions to come have the identity of their parent's primary key, and no other of its.
    const bool is_root = is_t(tree.at(row, 5));
    if (kind == 'p' && !is_root) continue;
    if (kind == 'p') {
      all = all && identity == 'd' && !is_t(tree.at(row, 4));
      continue;
    }
    sends_whole_rows = sends_whole_rows || identity == 'f';
    all = all && (identity == 'f' || !is_t(tree.at(row, 4)));
  }
  return all;
}

}  // namespace

std::string PublicationPlan::create_statement() const {
  std::string list;
  for (const std::string& column : columns) {
    list += (list.empty() ? " (" : ", ") + quoted_name(column);
  }
  if (!list.empty()) list += ")";
  return "CREATE PUBLICATION " + quoted_name(name) + " FOR TABLE " + table.from() + list +
         " WITH (publish = '" +
         (gives_updates ? "insert, update, delete, truncate" : "insert, truncate") +
         "', publish_via_partition_root = true)";
}

PublicationPlan plan_publication(Connection& connection, const ServerSelection& selection,
                                 bool ignores_updates, const CallContext& context) {
  PublicationPlan plan{.name = publication_name(selection),
                       .table = find_table(connection, selection, context)};
  check_column(connection, plan.table);
  const Result tree = connection.query(kTree, {plan.table.oid}, context);
  bool sends_whole_rows = false;
  plan.gives_updates =
      has_identities(connection, plan.table, tree, sends_whole_rows) && !ignores_updates;
  if (!plan.gives_updates && !ignores_updates) {
    withdraw_publication(connection, plan.name, context);
    refuse_table(connection,
                 "the table, or a part of it, has no primary key (or a deferrable one), and once "
                 "its UPDATEs are published the server would refuse them; allowed: ALTER TABLE ... "
                 "REPLICA IDENTITY FULL or USING INDEX, or &updates=none in the location, if no "
                 "UPDATE ever changes a key");
  }
  std::set<std::string, std::less<>> listed{plan.table.column};
  if (plan.gives_updates) {
    const Result identity = connection.query(kIdentityColumns, {plan.table.oid}, context);
    for (int row = 0; row < identity.rows(); ++row) listed.insert(identity.text(row, 0));
  }
  const bool has_list =
      connection.version() >= kColumnLists && !(plan.gives_updates && sends_whole_rows);
  const Result all = connection.query(kAllColumns, {plan.table.oid}, context);
  for (int row = 0; row < all.rows(); ++row) {
    const std::string name = all.text(row, 0);
    if (has_list ? !listed.contains(name) : is_t(all.at(row, 2))) continue;
    if (has_list) plan.columns.push_back(name);
    if (name == plan.table.column) plan.key_index = plan.sent_columns.size();
    plan.sent_columns.push_back(
        {.name = name, .type = static_cast<std::uint32_t>(all.number(row, 1))});
  }
  return plan;
}

void make_publication(Connection& connection, const PublicationPlan& plan, bool ignores_updates,
                      const ServerSelection& selection, const CallContext& context) {
  const auto truth = [](bool value) { return std::string(value ? "t" : "f"); };
  const std::string wanted = "f t " + truth(plan.gives_updates) + " " + truth(plan.gives_updates) +
                             " t t " + plan.table.oid + " t";
  std::string wanted_columns;
  for (const std::string& column : plan.columns) {
    wanted_columns += (wanted_columns.empty() ? "" : "\n") + column;
  }
  const Result found = connection.query(kDefinition, {plan.name}, context);
  if (found.rows() == 1 && found.at(0, 0) == wanted) {
    if (connection.version() < kColumnLists) return;
    if (connection.query(kDefinedColumns, {plan.name}, context).at(0, 0) == wanted_columns) return;
  }
  // The table stays as it is until it is published as planned: the statement locks it.
  connection.query("BEGIN; SET LOCAL lock_timeout = '10s'", context);
  Result made;
  if (found.rows() == 1) {
    made = connection.try_query("DROP PUBLICATION " + quoted_name(plan.name), context);
  }
  if (!made || made.sql_state().empty()) {
    made = connection.try_query(plan.create_statement(), context);
  }
  if (!made.sql_state().empty()) {
    connection.query("ROLLBACK", context);
    connection.refuse(made,
                      "the publication cannot be made; its table's owner, who may create in "
                      "the database, can: " +
                          plan.create_statement());
  }
  PublicationPlan again;
  try {
    again = plan_publication(connection, selection, ignores_updates, context);
  } catch (...) {
    if (connection.is_open()) connection.query("ROLLBACK", context);
    throw;
  }
  if (again.create_statement() != plan.create_statement() || again.table.oid != plan.table.oid) {
    connection.query("ROLLBACK", context);
    throw StoreError(connection.name() + ": the table was altered meanwhile");
  }
  connection.query("COMMIT", context);
}

namespace {

// "Made by bloomery. Runs: SLOT=RUN:POSITION SLOT=RUN:POSITION", in hexadecimal digits.
constexpr std::string_view kNote = "Made by bloomery. Runs:";

using Words = std::map<std::string, std::string, std::less<>>;

// None where the comment is another's.
std::optional<Words> read_note(Connection& connection, const std::string& publication,
                               const CallContext& context) {
  const Result found = connection.query(
      "SELECT coalesce(obj_description(oid, 'pg_publication'), '') FROM pg_publication "
      "WHERE pubname = $1",
      {publication}, context);
  if (found.rows() == 0) return std::nullopt;
  std::string_view note = found.at(0, 0);
  Words words;
  if (note.empty()) return words;
  if (!note.starts_with(kNote)) return std::nullopt;
  note.remove_prefix(kNote.size());
  while (!note.empty()) {
    const std::size_t end = std::min(note.find(' '), note.size());
    const std::string_view word = note.substr(0, end);
    note.remove_prefix(std::min(end + 1, note.size()));
    const std::size_t middle = word.find('=');
    if (middle != word.npos) words[std::string(word.substr(0, middle))] = word.substr(middle + 1);
  }
  return words;
}

}  // namespace

bool reads_no_updates(const ServerLocation& location) {
  const auto found = location.settings.find("updates");
  if (found == location.settings.end()) return false;
  if (found->second == "none") return true;
  throw std::invalid_argument(location.name() + ": updates=" + printable(found->second) +
                              " means nothing; allowed: updates=none, where no UPDATE ever changes "
                              "a key");
}

std::optional<NotedSlot> noted_slot(Connection& connection, const std::string& publication,
                                    const std::string& slot, const CallContext& context) {
  const auto words = read_note(connection, publication, context);
  if (!words) return std::nullopt;
  const auto found = words->find(slot);
  if (found == words->end()) return std::nullopt;
  const std::string_view word = found->second;
  NotedSlot noted{std::string(word.substr(0, word.find(':')))};
  if (noted.run.size() < word.size()) {  // the first ones had no position
    std::from_chars(word.data() + noted.run.size() + 1, word.data() + word.size(), noted.position,
                    16);
  }
  return noted;
}

bool note_slot(Connection& connection, const std::string& publication, const std::string& slot,
               const NotedSlot& noted, const CallContext& context) {
  // Followers of other slots write there, too.
  connection.query("BEGIN", context);
  bool is_noted = false;
  try {
    connection.query("SELECT pg_advisory_xact_lock(hashtext($1))", {publication}, context);
    auto words = read_note(connection, publication, context);
    if (words) {
      (*words)[slot] = noted.run + ":" + hex_word(noted.position);
      std::string note(kNote);
      for (const auto& [each, word] : *words) note += " " + each + "=" + word;
      const Result said = connection.try_query(
          "COMMENT ON PUBLICATION " + quoted_name(publication) + " IS" + quoted_text(note),
          context);
      constexpr std::string_view kNotAllowed = "42501";
      is_noted = said.sql_state().empty();
      if (!is_noted && said.sql_state() != kNotAllowed) connection.refuse(said, "");
    }
  } catch (...) {
    if (connection.is_open()) connection.query("ROLLBACK", context);
    throw;
  }
  connection.query(is_noted ? "COMMIT" : "ROLLBACK", context);
  return is_noted;
}

}  // namespace bloomery::postgres
