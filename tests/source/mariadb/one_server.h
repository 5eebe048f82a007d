#pragma once

#include <gtest/gtest.h>

#include <string>

#include "bloomery/source/server_location.h"
#include "tests/source/source_helpers.h"
#include "tests/source/temporary_folder.h"
#include "tests/support/mariadb_server.h"

namespace bloomery {

// The server that the tests of this program share.
inline testing::MariadbServer& the_server() {
  struct Running {
    TemporaryFolder folder{};
    testing::MariadbServer server{folder.path("")};
  };
  static Running running;
  return running.server;
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
