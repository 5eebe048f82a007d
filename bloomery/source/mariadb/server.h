// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "bloomery/source/server_location.h"

namespace bloomery::mariadb {

// How a server of MariaDB or MySQL is reached: what a location says, checked.
//   socket=PATH          a Unix socket in place of a host
//   timeout=MS           how long the server may be silent (10000)
//   tls=verify|trust     TLS is a must: with the server's certificate verified, or not
//   ca=FILE cert=FILE key=FILE
//   options=FILE         an option file, of which the group [client] is read
// A password that the location does not say comes from the option file, or from MYSQL_PWD.
struct Server {
  enum class Tls { off, trust, verify };

  explicit Server(const ServerLocation& location);

  std::string name;  // for messages: without the password
  std::string user;
  std::string password;
  std::string host;
  std::uint16_t port = 0;
  std::string socket;
  std::string database;
  std::chrono::milliseconds timeout{10000};
  Tls tls = Tls::off;
  std::string ca;
  std::string certificate;
  std::string key;
  std::string option_file;
};

}  // namespace bloomery::mariadb
