// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mariadb/mariadb_source.h"

#include <charconv>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "bloomery/source/key_batcher.h"
#include "bloomery/source/mariadb/column.h"
#include "bloomery/source/mariadb/history.h"
#include "bloomery/source/mariadb/key_writer.h"
#include "bloomery/source/mariadb/mariadb_connection.h"
#include "bloomery/text/printable.h"

namespace bloomery {

struct MariadbSource::Session {
  Session(const mariadb::Server& server, const CallContext& context)
      : connection(server, context) {}

  mariadb::Connection connection;
};

MariadbSource::MariadbSource(const ServerLocation& location, SourceOptions options,
                             const CallContext& context)
    : location_(location), options_(std::move(options)) {
  if (options_.field > 0) {
    throw std::invalid_argument(location_.name() +
                                ": fields are for texts; in a database, name the column");
  }
  auto& connection = session(context).connection;
  const ServerSelection& selection = location_.selection;
  if (!selection.query.empty()) {
    check_query(context);
    return;
  }
  const mariadb::Table table = mariadb::describe_table(connection, selection, context);
  const std::string key = mariadb::quote_name(table.key_column().name);
  select_ = "SELECT " + key + " FROM " + table.quoted();
  count_ = "SELECT COUNT(*) FROM " + table.quoted();
  advice_ = mariadb::unequal_bytes_advice(table, {options_.encoding, options_.normalise});
}

MariadbSource::~MariadbSource() = default;

MariadbSource::Session& MariadbSource::session(const CallContext& context) {
  if (session_ == nullptr || session_->connection.is_broken()) {
    session_.reset();
    session_ = std::make_unique<Session>(mariadb::Server(location_), context);
  }
  return *session_;
}

// The server understands it without running it. The session only reads, so that it cannot write.
void MariadbSource::check_query(const CallContext& context) {
  std::string query = location_.selection.query;
  query.resize(query.find_last_not_of("; \t\r\n") + 1);
  auto& connection = session(context).connection;
  const auto refuse = [&](const std::string& why) {
    throw std::invalid_argument(location_.name() + ": the query " + printable(query, 200) + " " +
                                why + "; allowed: one SELECT of one column");
  };
  mariadb::Waiting waiting(location_.name(), context, connection.server().timeout);
  const std::unique_ptr<MYSQL_STMT, decltype((mariadb::mysql_stmt_close))> statement(
      mariadb::mysql_stmt_init(connection.handle()), mariadb::mysql_stmt_close);
  if (statement == nullptr) throw std::bad_alloc();
  const int failed = connection.run<int>(
      waiting, "preparing a query",
      [&](int* result) {
        return mariadb::mysql_stmt_prepare_start(result, statement.get(), query.data(),
                                                 query.size());
      },
      [&](int* result, int events) {
        return mariadb::mysql_stmt_prepare_cont(result, statement.get(), events);
      });
  if (failed != 0) refuse(std::string("is refused: ") + mariadb::mysql_stmt_error(statement.get()));
  const unsigned columns = mariadb::mysql_stmt_field_count(statement.get());
  if (columns == 0) refuse("is no SELECT");
  if (columns != 1) refuse("selects " + std::to_string(columns) + " columns");
  if (mariadb::mysql_stmt_param_count(statement.get()) > 0) refuse("has parameters");
  select_ = query;
  // A line end, in case of a comment there.
  count_ = "SELECT COUNT(*) FROM (\n" + query + "\n) AS bloomery_selected_keys";
}

SourceTotals MariadbSource::for_each_batch(const BatchConsumer& consumer) {
  return for_each_batch(consumer, kNoContext);
}

SourceTotals MariadbSource::for_each_batch(const BatchConsumer& consumer,
                                           const CallContext& context) {
  mariadb::KeyWriter writer({options_.encoding, options_.normalise});
  KeyBatcher batcher(consumer);
  bool is_zerofill = false;
  const auto take = [&](MYSQL_ROW values, const unsigned long* lengths) {
    if (values[0] == nullptr) {
      batcher.skip_null();
      return true;
    }
    std::string_view text(values[0], lengths[0]);
    if (is_zerofill) text = mariadb::without_zerofill(text);
    char* const out = batcher.room(writer.byte_limit(text.size()));
    if (out == nullptr) return false;
    try {
      batcher.keep(writer.write(text, out));
    } catch (const std::invalid_argument& wrong) {
      const std::string row = std::to_string(batcher.row_count() + 1);
      batcher.finish();
      throw std::invalid_argument(location_.name() + ": row " + row + " read: " + wrong.what());
    }
    return true;
  };
  const auto look = [&](const MYSQL_FIELD* fields, unsigned) {
    is_zerofill = (fields[0].flags & ZEROFILL_FLAG) != 0 && IS_NUM(fields[0].type);
  };
  auto& connection = session(context).connection;
  if (!run_.empty()) {
    // Whatever stands between keeps to one server for as long as a transaction is open.
    connection.ask("START TRANSACTION READ ONLY", context);
    mariadb::require_run(connection, run_, context);
  }
  connection.stream(select_, take, context, look);
  if (!run_.empty() && !connection.is_broken()) connection.ask("COMMIT", context);
  batcher.finish();
  return batcher.totals();
}

std::optional<std::uint64_t> MariadbSource::expected_count() {
  const std::string text = session(kNoContext).connection.ask_one(count_, kNoContext);
  std::uint64_t count = 0;
  std::from_chars(text.data(), text.data() + text.size(), count);
  return count;
}

}  // namespace bloomery
