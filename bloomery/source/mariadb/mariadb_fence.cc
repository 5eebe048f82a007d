// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mariadb/mariadb_fence.h"

#include <mysqld_error.h>

#include <functional>
#include <stdexcept>

#include "bloomery/source/mariadb/history.h"
#include "bloomery/source/mysql/log_history.h"

namespace bloomery {

struct MariadbFence::Session {
  Session(const ServerLocation& location, const CallContext& context)
      : connection(mariadb::Server(location), context) {
    const auto table = mariadb::describe_table(connection, location.selection, context);
    if (connection.is_mariadb()) {
      ask = [history = mariadb::History(connection, table, context)](
                mariadb::Connection& with, const CallContext& within) mutable {
        return history.ask(with, within).watermark();
      };
    } else {
      ask = [history = mysql::LogHistory(connection, table, context)](mariadb::Connection& with,
                                                                      const CallContext& within) {
        return history.ask(with, within).watermark();
      };
    }
  }

  mariadb::Connection connection;
  std::function<Watermark(mariadb::Connection&, const CallContext&)> ask;
};

MariadbFence::MariadbFence(const ServerLocation& location) : location_(location) {
  mariadb::Server checked(location_);
}

MariadbFence::~MariadbFence() = default;

Watermark MariadbFence::ask(const CallContext& context) {
  const bool is_new = session_ == nullptr;
  try {
    if (is_new) session_ = std::make_unique<Session>(location_, context);
    return session_->ask(session_->connection, context);
  } catch (const std::invalid_argument& refused) {
    session_.reset();
    throw SourceChanged(refused.what());
  } catch (const mariadb::SessionExchanged&) {
    session_.reset();
    if (is_new) throw;
  } catch (const mariadb::ServerError& error) {
    const bool was_cut = session_ != nullptr && session_->connection.is_broken();
    session_.reset();
    if (error.code == ER_BAD_DB_ERROR) throw SourceChanged(error.what());
    // The server cuts sessions that were idle for long; a new question is as good.
    if (is_new || !was_cut) throw;
  } catch (...) {
    session_.reset();
    throw;
  }
  return ask(context);
}

}  // namespace bloomery
