// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mysql/server_changes.h"

#include <utility>

#include "bloomery/source/mariadb/mariadb_changes.h"
#include "bloomery/source/mariadb/mariadb_connection.h"
#include "bloomery/source/mysql/mysql_changes.h"

namespace bloomery {

ServerChanges::ServerChanges(const ServerLocation& location, ChangeOptions options)
    : location_(location),
      options_(std::move(options)),
      changes_(std::make_unique<MariadbChanges>(location_, options_)) {}

// A name may lead to another server than before, so each start asks anew.
bool ServerChanges::start(const std::optional<Watermark>& from, const CallContext& context) {
  const bool is_mariadb = mariadb::Connection(mariadb::Server(location_), context).is_mariadb();
  if (is_mariadb != is_mariadb_) {
    changes_.reset();
    if (is_mariadb) {
      changes_ = std::make_unique<MariadbChanges>(location_, options_);
    } else {
      changes_ = std::make_unique<MysqlChanges>(location_, options_);
    }
    is_mariadb_ = is_mariadb;
  }
  return changes_->start(from, context);
}

}  // namespace bloomery
