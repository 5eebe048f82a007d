// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/postgres/table_question.h"

#include <array>
#include <stdexcept>

#include "bloomery/errors.h"
#include "bloomery/place/fence_source.h"
#include "bloomery/source/source_identity.h"
#include "bloomery/text/hex_word.h"

namespace bloomery::postgres {
namespace {

constexpr const char* kServer = R"(
SELECT concat_ws(',', s.system_identifier, d.oid),
       extract(epoch FROM pg_postmaster_start_time())::text,
       current_setting('block_size'), pg_size_bytes(current_setting('wal_segment_size'))
FROM pg_control_system() s, pg_database d WHERE d.datname = current_database())";

constexpr const char* kQuestion = R"(
WITH RECURSIVE tree AS (
  SELECT to_regclass($1)::oid AS oid, ''::text AS link
  UNION ALL
  SELECT i.inhrelid, concat_ws(',', i.inhparent, i.xmin, i.inhdetachpending)
  FROM tree JOIN pg_inherits i ON i.inhparent = tree.oid)
SELECT
  CASE WHEN NOT pg_is_in_recovery() THEN pg_current_wal_insert_lsn() - '0/0'::pg_lsn END,
  CASE WHEN NOT pg_is_in_recovery() THEN
    left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) END,
  (SELECT string_agg(concat_ws(',', c.oid, c.relfilenode, c.reltablespace, c.relkind,
                               c.relpersistence, c.relreplident, a.attnum, a.atttypid, a.atttypmod,
                               a.attcollation, a.attgenerated, tree.link,
                               (SELECT string_agg(concat_ws(' ', x.indkey::text, x.indisprimary,
                                                            x.indisreplident, x.indimmediate),
                                                  '/' ORDER BY x.indkey::text, x.indisprimary)
                                FROM pg_index x
                                WHERE x.indrelid = c.oid
                                  AND (x.indisprimary OR x.indisreplident))), ';' ORDER BY c.oid)
   FROM tree JOIN pg_class c ON c.oid = tree.oid
   JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = $2 AND a.attnum > 0),
  (SELECT concat_ws(',', p.oid, p.xmin,
                    (SELECT string_agg(concat_ws(',', r.oid, r.xmin, r.prrelid), ';' ORDER BY r.oid)
                     FROM pg_publication_rel r WHERE r.prpubid = p.oid))
   FROM pg_publication p WHERE p.pubname = $3),
  to_regclass($1)::oid,
  extract(epoch FROM pg_postmaster_start_time())::text)";

// Behind a page's last record comes the next page's header, which no record ends in: at the end of
// a log that nobody writes, the position would never be reached.
std::uint64_t without_page_header(std::uint64_t position, std::uint64_t block_byte_count,
                                  std::uint64_t segment_byte_count) {
  constexpr std::uint64_t kHeader = 24;
  constexpr std::uint64_t kFirstHeader = 40;  // of a segment
  if (position % segment_byte_count == kFirstHeader) return position - kFirstHeader;
  if (position % block_byte_count == kHeader) return position - kHeader;
  return position;
}

Result ask_server(Connection& connection, const CallContext& context) {
  Result server = connection.query(kServer, context);
  if (server.rows() != 1) throw StoreError(connection.name() + ": says nothing of itself");
  return server;
}

ServerRun run_in(const Result& server) {
  return {.server = server.text(0, 0), .started = server.text(0, 1)};
}

}  // namespace

void require_run(Connection& connection, const ServerRun& run, const CallContext& context) {
  if (run_in(ask_server(connection, context)) == run) return;
  throw StoreError(connection.name() +
                   ": leads to several servers, or to one that was started again; what is followed "
                   "must be one server");
}

std::string publication_name(const ServerSelection& selection) {
  const Identity identity =
      identity_of({selection.schema, selection.table, selection.columns.front()});
  return "bloomery_" + hex_word(identity.low);
}

void require_one_column(const ServerLocation& location) {
  if (location.selection.columns.size() == 1) return;
  throw std::invalid_argument(location.name() +
                              ": cannot be followed: neither a query nor a key of several columns "
                              "says which rows come and go; allowed: a table and one column");
}

TableQuestion::TableQuestion(Connection& connection, const ServerSelection& selection,
                             const CallContext& context)
    : table_((selection.schema.empty() ? "" : quoted_name(selection.schema) + ".") +
             quoted_name(selection.table)),
      column_(selection.columns.front()),
      publication_(publication_name(selection)),
      question_(connection, kQuestion, context) {
  const Result server = ask_server(connection, context);
  run_ = run_in(server);
  block_byte_count_ = server.number(0, 2);
  segment_byte_count_ = server.number(0, 3);
  if (block_byte_count_ == 0 || segment_byte_count_ == 0) {
    throw StoreError(connection.name() + ": says that its log has no pages");
  }
}

Watermark TableQuestion::ask(Connection& connection, const CallContext& context,
                             std::string* table_oid) {
  const std::array values{table_.c_str(), column_.c_str(), publication_.c_str()};
  const Result answer = question_.try_run(connection, values, context);
  if (!answer.sql_state().empty()) connection.refuse(answer, "");
  if (answer.rows() != 1) throw StoreError(connection.name() + ": says nothing of the table");
  if (answer.at(0, 5) != run_.started) {
    throw SessionExchanged(connection.name() +
                           ": the server started anew, or is another, behind one connection");
  }
  if (answer.is_null(0, 0)) {
    throw StoreError(connection.name() +
                     ": the server is a standby, which has rows later than others; allowed: the "
                     "primary");
  }
  if (answer.is_null(0, 2)) throw SourceChanged(connection.name() + ": has no such table any more");
  if (table_oid != nullptr) *table_oid = answer.text(0, 4);
  const Identity lasting =
      identity_of({run_.server, answer.at(0, 1), answer.at(0, 2), answer.at(0, 3)});
  const Identity until_restart =
      identity_of({run_.server, answer.at(0, 1), answer.at(0, 2), answer.at(0, 3), run_.started});
  return {
      .source = {lasting.high, until_restart.low},
      .position = without_page_header(answer.number(0, 0), block_byte_count_, segment_byte_count_)};
}

}  // namespace bloomery::postgres
