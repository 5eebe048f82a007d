// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mariadb/mariadb_rows.h"

#include <stdexcept>
#include <utility>

#include "bloomery/source/mariadb/mariadb_row_session.h"
#include "bloomery/source/session_pool.h"

namespace bloomery {

class MariadbRows::Pool {
 public:
  Pool(ServerLocation location, MariadbRowsOptions options)
      : location_(std::move(location)),
        options_(std::move(options)),
        sessions_(location_.name(), options_.connections) {}

  Rows ask(std::span<const Key> keys, const CallContext& context) {
    return sessions_.ask(
        context,
        [&] {
          return std::make_unique<mariadb::RowSession>(location_, session_options(), context);
        },
        [&](mariadb::RowSession& session) { return session.ask(keys, context); });
  }

 private:
  mariadb::RowSession::Options session_options() const {
    return {options_.value, options_.encoding, options_.allows_replica};
  }

  const ServerLocation location_;
  const MariadbRowsOptions options_;
  SessionPool<mariadb::RowSession> sessions_;
};

MariadbRows::MariadbRows(std::string_view location, MariadbRowsOptions options) {
  ServerLocation parsed = parse_server_location(location);
  mariadb::Server checked(parsed);
  const bool is_known = options.encoding == KeyEncoding::text ||
                        options.encoding == KeyEncoding::u64 ||
                        options.encoding == KeyEncoding::i64;
  if (!is_known || options.connections == 0 || parsed.selection.columns.size() != 1) {
    throw std::invalid_argument(parsed.name() +
                                ": rows are loaded by one column, for keys of text, u64 or i64, "
                                "over at least one connection");
  }
  pool_ = std::make_shared<Pool>(std::move(parsed), std::move(options));
}

MariadbRows::Rows MariadbRows::operator()(std::span<const Key> keys,
                                          const CallContext& context) const {
  if (keys.empty()) return {};
  return pool_->ask(keys, context);
}

}  // namespace bloomery
