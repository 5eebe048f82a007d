// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/source/temporary_folder.h"
#include "tests/support/mysql_server.h"

namespace bloomery {

// The server that the tests of this program share.
inline testing::MysqlServer& the_mysql() {
  static TemporaryFolder folder;
  static testing::MysqlServer server(folder.path(""));
  return server;
}

// An empty database shop on it.
class MysqlTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::MysqlServer::is_there()) GTEST_SKIP() << testing::MysqlServer::kNone;
    the_mysql().run("DROP DATABASE IF EXISTS shop; CREATE DATABASE shop");
  }

  static void run(const std::string& sql) { the_mysql().connect("root", "shop").run(sql); }
  static std::string ask(const std::string& sql) {
    return the_mysql().connect("root", "shop").ask(sql);
  }
  static std::string at(const std::string& table = "users", const std::string& column = "name") {
    return the_mysql().location(table, column);
  }
};

}  // namespace bloomery
