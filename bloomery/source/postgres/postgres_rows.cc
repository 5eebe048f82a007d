// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/postgres/postgres_rows.h"

#include <stdexcept>
#include <utility>

#include "bloomery/source/postgres/postgres_row_session.h"
#include "bloomery/source/postgres/table_question.h"
#include "bloomery/source/server_location.h"
#include "bloomery/source/session_pool.h"

namespace bloomery {

class PostgresRows::Pool {
 public:
  Pool(ServerLocation location, PostgresRowsOptions options)
      : location_(std::move(location)),
        options_(std::move(options)),
        sessions_(location_.name(), options_.connections) {}

  Rows ask(std::span<const Key> keys, const CallContext& context) {
    return sessions_.ask(
        context,
        [&] {
          return std::make_unique<postgres::RowSession>(location_, options_.value,
                                                        options_.encoding, context);
        },
        [&](postgres::RowSession& session) { return session.ask(keys, context); });
  }

 private:
  const ServerLocation location_;
  const PostgresRowsOptions options_;
  SessionPool<postgres::RowSession> sessions_;
};

PostgresRows::PostgresRows(std::string_view location, PostgresRowsOptions options) {
  ServerLocation parsed = parse_server_location(location);
  if (parsed.scheme != "postgres") {
    throw std::invalid_argument(parsed.name() + ": is no location of a PostgreSQL server");
  }
  postgres::require_one_column(parsed);
  const KeyEncoding encoding = options.encoding;
  if (encoding != KeyEncoding::text && encoding != KeyEncoding::u64 &&
      encoding != KeyEncoding::i64) {
    throw std::invalid_argument(parsed.name() +
                                ": rows are asked by keys written as text, u64 or i64");
  }
  if (options.connections == 0) {
    throw std::invalid_argument(parsed.name() + ": no connections, which must be one at least");
  }
  pool_ = std::make_shared<Pool>(std::move(parsed), std::move(options));
}

PostgresRows::Rows PostgresRows::operator()(std::span<const Key> keys,
                                            const CallContext& context) const {
  return pool_->ask(keys, context);
}

}  // namespace bloomery
