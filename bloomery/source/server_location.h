// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace bloomery {

// The keys of a database on a server: columns of a table or view, or what a query selects.
struct ServerSelection {
  std::string schema{};  // of the table; empty: as the server finds it
  std::string table{};
  std::vector<std::string> columns{};  // whose values are the key; mostly one
  std::string query{};                 // one SELECT
};

// Keys in a database on a server, in one word of a command line:
//
//   postgres://[user[:password]@][host[:port]]/database?table=users&column=id
//   mysql://... and mariadb://...                the same of MySQL's and MariaDB's servers
//   ...?table=shop.users&column=id               a table of the schema shop
//   ...?table=users&column=first,last            a key of two columns
//   ...?query=SELECT id FROM users               the query is all that follows
//   ...&name=value                               settings of the connection
//
// %XX stands for a byte in every part but host and port, so names may hold . , & and =. A query
// with a blank in it was plainly not escaped and is taken as it is. Which settings there are, the
// source says (PostgresSettings).
struct ServerLocation {
  std::string scheme{};  // "postgres", without "://"
  std::string user{};
  std::string password{};
  std::string host{};      // empty: the system's own default, mostly a socket
  std::uint16_t port = 0;  // 0: the system's own
  std::string database{};
  ServerSelection selection{};
  std::map<std::string, std::string, std::less<>> settings{};

  // Returns the location for messages: all of it but the password and the settings.
  std::string name() const;
};

// Returns whether the text begins with scheme://.
bool is_server_location(std::string_view location) noexcept;

// Throws std::invalid_argument, saying what is allowed; never with a password in it.
ServerLocation parse_server_location(std::string_view location);

// Returns the name of a source for reports and messages: of a server's location all but the
// password and the settings, of anything else all of it. Throws as parse_server_location does.
std::string source_name(std::string_view location);

}  // namespace bloomery
