// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "bloomery/source/server_location.h"
#include "bloomery/source/sqlite_source.h"

namespace bloomery {

// SourceLocation: where keys come from, in one word of a command line.
//   keys.txt                                     a text; "-" is standard input
//   sqlite:shop.db?table=users&column=id         a column of a database
//   sqlite:shop.db?query=SELECT id FROM users    what a query selects; the query is all that
//   follows
//   postgres://ann@db/shop?table=users&column=id on a server (server_location.h)
//   mariadb://ann@db/shop?table=users&column=id, mysql://...
// In an sqlite: location %XX stands for a byte, so names may hold ? & = and %. A query with a blank
// in it was plainly not escaped and is taken as it is.
struct SourceLocation {
  enum class Kind { text, standard_input, sqlite, postgres, mariadb };

  Kind kind = Kind::text;
  std::string path{};           // of a text, or of an SQLite database
  SqliteSelection selection{};  // of an SQLite database
  ServerLocation server{};      // of the others

  bool is_database() const noexcept { return kind != Kind::text && kind != Kind::standard_input; }
};

// Throws std::invalid_argument, saying what is allowed.
SourceLocation parse_source_location(std::string_view location);

}  // namespace bloomery
