// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/open_changes.h"

#include <stdexcept>
#include <string>

#ifdef BLOOMERY_HAS_MARIADB
#include "bloomery/source/mariadb/mariadb_fence.h"
#include "bloomery/source/mysql/server_changes.h"
#endif
#ifdef BLOOMERY_HAS_POSTGRES
#include "bloomery/source/postgres/postgres_changes.h"
#include "bloomery/source/postgres/postgres_fence.h"
#endif
#include "bloomery/source/source_location.h"
#include "bloomery/source/sqlite/sqlite_changes.h"
#include "bloomery/source/sqlite/sqlite_fence.h"
#include "bloomery/source/sqlite/sqlite_outbox.h"
#include "bloomery/text/printable.h"
#include "bloomery/text/secrets.h"

namespace bloomery {
namespace {

[[noreturn]] void refuse_to_follow(std::string_view location, const std::string& why) {
  throw std::invalid_argument(printable(without_secrets(location), 200) + ": " + why +
                              "; allowed: sqlite:FILE?table=TABLE&column=COLUMN, "
                              "postgres://[USER@]HOST/DATABASE?table=TABLE&column=COLUMN, "
                              "mariadb://[USER@]HOST/DATABASE?table=TABLE&column=COLUMN, "
                              "mysql://... the same");
}

// Parses the location of a source whose rows come and go.
SourceLocation parse_followed(std::string_view location) {
  SourceLocation parsed = parse_source_location(location);
  if (!parsed.is_database()) {
    refuse_to_follow(location, "a text does not say what changes in it");
  }
  // Never the text of a server's location, in which a password may be.
  const std::string name =
      parsed.server.scheme.empty() ? std::string(location) : parsed.server.name();
  if (!parsed.selection.query.empty() || !parsed.server.selection.query.empty()) {
    refuse_to_follow(name, "a query does not say which rows come and go; name the column");
  }
#ifndef BLOOMERY_HAS_MARIADB
  if (parsed.kind == SourceLocation::Kind::mariadb) {
    throw std::invalid_argument(name + ": this build has no MariaDB (BLOOMERY_MARIADB)");
  }
#endif
#ifndef BLOOMERY_HAS_POSTGRES
  if (parsed.kind == SourceLocation::Kind::postgres) {
    throw std::invalid_argument(name + ": this build has no PostgreSQL (BLOOMERY_POSTGRES)");
  }
#endif
  return parsed;
}

}  // namespace

std::unique_ptr<ChangeSource> open_change_source(std::string_view location,
                                                 const ChangeOptions& options) {
  const SourceLocation parsed = parse_followed(location);
#ifdef BLOOMERY_HAS_MARIADB
  if (parsed.kind == SourceLocation::Kind::mariadb) {
    return std::make_unique<ServerChanges>(parsed.server, options);
  }
#endif
#ifdef BLOOMERY_HAS_POSTGRES
  if (parsed.kind == SourceLocation::Kind::postgres) {
    return std::make_unique<PostgresChanges>(parsed.server, options);
  }
#endif
  return std::make_unique<SqliteChanges>(parsed.path, parsed.selection, options);
}

std::string remove_changes(std::string_view location, const ChangeOptions& options) {
  const SourceLocation parsed = parse_followed(location);
  if (parsed.kind != SourceLocation::Kind::sqlite) {
    return open_change_source(location, options)->remove();
  }
  SqliteDatabase database(parsed.path, options.keys.busy_timeout_ms, /*writes=*/true);
  return SqliteOutbox::remove(database, parsed.selection, options.slot);
}

std::unique_ptr<FenceSource> open_fence(std::string_view location, const ChangeOptions& options) {
  const SourceLocation parsed = parse_followed(location);
#ifdef BLOOMERY_HAS_MARIADB
  if (parsed.kind == SourceLocation::Kind::mariadb) {
    return std::make_unique<MariadbFence>(parsed.server);
  }
#endif
#ifdef BLOOMERY_HAS_POSTGRES
  if (parsed.kind == SourceLocation::Kind::postgres) {
    return std::make_unique<PostgresFence>(parsed.server);
  }
#endif
  return std::make_unique<SqliteFence>(parsed.path, parsed.selection, options);
}

}  // namespace bloomery
