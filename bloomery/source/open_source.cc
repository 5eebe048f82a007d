// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/open_source.h"

#include <stdexcept>

#ifdef BLOOMERY_HAS_MARIADB
#include "bloomery/source/mariadb/mariadb_source.h"
#endif
#ifdef BLOOMERY_HAS_POSTGRES
#include "bloomery/source/postgres/postgres_source.h"
#endif
#include "bloomery/source/source_location.h"
#include "bloomery/source/sqlite_source.h"
#include "bloomery/source/text_source.h"

namespace bloomery {

std::unique_ptr<KeySource> open_source(std::string_view location, const SourceOptions& options) {
  const SourceLocation parsed = parse_source_location(location);
  switch (parsed.kind) {
    case SourceLocation::Kind::sqlite:
      return std::make_unique<SqliteSource>(parsed.path, parsed.selection, options);
    case SourceLocation::Kind::postgres:
#ifdef BLOOMERY_HAS_POSTGRES
      return std::make_unique<PostgresSource>(parsed.server, options);
#else
      throw std::invalid_argument(parsed.server.name() +
                                  ": this build has no PostgreSQL (BLOOMERY_POSTGRES)");
#endif
    case SourceLocation::Kind::mariadb:
#ifdef BLOOMERY_HAS_MARIADB
      return std::make_unique<MariadbSource>(parsed.server, options);
#else
      throw std::invalid_argument(parsed.server.name() +
                                  ": this build has no MariaDB (BLOOMERY_MARIADB)");
#endif
    case SourceLocation::Kind::standard_input:
      return std::make_unique<TextSource>(InputFile::standard_input(), options);
    case SourceLocation::Kind::text:
      break;
  }
  return std::make_unique<TextSource>(InputFile::open(parsed.path), options);
}

}  // namespace bloomery
