// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "bloomery/source/server_location.h"
#include "tests/source/source_helpers.h"
#include "tests/source/temporary_folder.h"
#include "tests/support/mariadb_server.h"
#include "tests/support/test_certificates.h"

namespace bloomery {

// The server that the tests of this program share, and its certificates.
struct TheServer {
  // The server reads them as another user.
  static testing::TestCertificates make_certificates(const std::string& folder) {
    testing::TestCertificates made(folder);
    std::filesystem::permissions(made / "server.key", std::filesystem::perms{0644});
    return made;
  }

  TemporaryFolder folder{};
  testing::TestCertificates certificates = make_certificates(folder.path(""));
  testing::MariadbServer server{
      folder.path(""),
      {"--ssl-ca=" + (certificates / "ca.pem"), "--ssl-cert=" + (certificates / "server.pem"),
       "--ssl-key=" + (certificates / "server.key")}};

  static TheServer& only() {
    static TheServer running;
    return running;
  }
};
inline testing::MariadbServer& the_server() {
  return TheServer::only().server;
}
inline const testing::TestCertificates& the_certificates() {
  return TheServer::only().certificates;
}

// An empty database shop on it.
class MariadbTest : public ::testing::Test {
 protected:
  MariadbTest() { run("DROP DATABASE IF EXISTS shop; CREATE DATABASE shop"); }

  static void run(const std::string& sql) { the_server().run("USE shop; " + sql); }

  static ServerLocation location(const std::string& table, const std::string& column,
                                 const std::string& more = {}) {
    return parse_server_location(the_server().location(table, column, more));
  }
  static ServerLocation query(const std::string& sql) {
    return parse_server_location("mariadb://root@/shop?socket=" + the_server().socket() +
                                 "&query=" + sql);
  }
};

}  // namespace bloomery
